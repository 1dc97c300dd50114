"""Who uses the site: accounts, their handles, and the tokens of their programs."""

"""What the answers look like, one module per subject."""

"""What is stored and shown: the Django site of the PTXBench Leaderboard."""

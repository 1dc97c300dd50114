"""The pages, one module each. Views fetch and render; what figures mean is decided elsewhere."""

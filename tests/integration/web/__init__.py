"""Pages of the dashboard, asked as a browser without script asks them."""

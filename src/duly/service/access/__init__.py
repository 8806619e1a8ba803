"""Who may do what: tokens, scopes, grants, quotas, and the audit of what was done."""

"""Every operation as a value: its class, its line in the catalogue, and how it is carried out."""

"""Pictures: values of the domain in, a payload, HTML or a figure out. Knows nothing of the app."""

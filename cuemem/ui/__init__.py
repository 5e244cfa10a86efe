"""What the pages share. With ``pages/`` and ``app.py`` the only code that imports streamlit."""

// This file is empty: its target has the precompiled header that tests share.

"""PostgreSQL: rows go by ADBC into a waiting table, and from there in one transaction with the id
of their batch. Needs the extra ``postgres``; nothing here is loaded before it is used.
"""

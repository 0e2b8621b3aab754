"""Topics of Kafka: rows wait as files, and go in one transaction with the id of their batch. Needs
the extra ``kafka``; nothing here is loaded before it is used.
"""

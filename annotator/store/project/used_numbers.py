"""Numbers for new rows that no deleted row had."""


def unused_number(table: str) -> str:
    """SQL for the number of a new row: above those that are there, and above those that went with their project.

    SQLite alone gives the highest number anew once its row is gone, and a page that is still open would come to mean another
    piece of work, or a folder of trained models another project.
    """
    return f"""(SELECT 1 + max(coalesce((SELECT max(id) FROM {table}), 0),
        coalesce((SELECT highest FROM used_numbers WHERE table_name = '{table}'), 0)))"""

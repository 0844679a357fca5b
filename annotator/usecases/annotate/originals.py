"""Which instance a changed version was made from."""

from annotator.domain.instances import Instance
from annotator.store import Store
from annotator.store.instances import find_instance_ids, get_instance


def find_original(store: Store, project_id: int, instance: Instance) -> Instance | None:
    """The original of a changed version, of the same split if there is one; None where the project has none."""
    if instance.parent_key is None:
        return None
    ids = find_instance_ids(store, project_id, instance.parent_key, instance.split)
    ids = ids or find_instance_ids(store, project_id, instance.parent_key)
    return get_instance(store, ids[0]) if ids else None

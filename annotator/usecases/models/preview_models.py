"""The model that previews ask: the one that the lead chose, with its labels, loaded once for this process.

It is loaded in a thread of its own, so that whoever asks first does not wait without end, and asked by one person at a time.
Who waits holds one of the threads that save other people's marks, so that few may wait, and not for long.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotator.attribution.base import Predictor, no_label
from annotator.attribution.built_in_model import BagOfWords
from annotator.attribution.loaders import BUILT_IN, LoadOptions, load_predictor
from annotator.domain.projects import Project, ProjectSettings, preview_model_kind, preview_model_name
from annotator.errors import AnnotatorError, Conflict, ModelError, NotAllowed, NotFound
from annotator.language import _, unsaid
from annotator.store import Store
from annotator.usecases.models.built_in_model import built_in_name
from annotator.usecases.models.label_tables import ModelLabels, listed, remembered
from annotator.usecases.models.model_places import folder_of_model, is_hub_allowed, models_folder, require_allowed_place
from annotator.usecases.models.project_model import ProjectModel, as_project_model

# What a project calls the labels of the model that its previews ask.


def preview_names(
    store: Store, project: Project, predictor: Predictor, preview_labels: Mapping[str, str]
) -> Mapping[str, str]:
    """As the lead says it under Rules, else as it was confirmed when the model's answers were computed, else by equal names.

    preview_labels: what the lead says of this model
    Nothing that previews say is kept, so that names that differ in upper and lower case alone are equal here.
    Raises: ModelError where that leaves a label without a name, or two with one
    """
    unknown = [label for label in preview_labels if label not in predictor.labels]
    if unknown:
        raise ModelError(no_label(predictor.name, unknown[0], listed(predictor.labels)))
    confirmed = remembered(store, project, ModelLabels.of_model(predictor.name, predictor.labels))
    if confirmed is not None and not preview_labels:
        return {label: confirmed.names[label] for label in predictor.labels}
    by_lower = {label.casefold(): label for label in project.labels}
    if len(by_lower) < len(project.labels):
        by_lower = {}
    names = {
        label: preview_labels.get(label, label if label in project.labels else by_lower.get(label.casefold()))
        for label in predictor.labels
    }
    return _checked(project, predictor, names)


def _checked(project: Project, predictor: Predictor, names: Mapping[str, str | None]) -> dict[str, str]:
    strange = [label for label, name in names.items() if name is None or name not in {*project.labels, ""}]
    given = [name for name in names.values() if name]
    if strange or len(set(given)) < len(given):
        what = (
            _("'{label}' isn't a project label", label=strange[0])
            if strange
            else _("two map to the same project label")
        )
        label, ours = strange[0] if strange else predictor.labels[0], next(iter(project.labels), "label")
        raise ModelError(
            _(
                "Labels of '{name}' ({labels}) don't match '{project}' ({project_labels}): {what}. The lead maps "
                "them under Project, Previews ({label}={ours}, or {label}=).",
                name=predictor.name,
                labels=listed(predictor.labels),
                project=project.name,
                project_labels=listed(project.labels),
                what=what,
                label=label,
                ours=ours,
            )
        )
    return {label: name or "" for label, name in names.items()}


_MOST_KEPT = 3  # models in memory, of all projects together; the one that was asked longest ago goes
_MOST_WAITING = 6
_PATIENCE_S = 20.0
_BUSY = unsaid("'{name}' is busy. Try again later.")
_UNUSABLE = unsaid("Preview model '{name}' can't be used. The lead can change it (Project, Previews).")


@contextmanager
def asking(store: Store, project: Project, *, is_lead: bool, spec: str | None = None) -> Iterator[ProjectModel]:
    """The project's preview model, or the one that `spec` names, for this caller alone while the block lasts.

    is_lead: may learn why a model cannot be loaded; what is said to others never names a place on the machine
    Raises: NotFound without a model, Conflict while it is being loaded or others ask, ModelError where it cannot be had
    """
    preview = project.settings.preview_model
    may_train = is_lead or spec is not None  # Saliency alone names a model: who is there trains it there
    spec = preview if spec is None else spec
    kind = preview_model_kind(spec)
    if kind == "none":
        raise NotFound(_("No preview model is chosen (Project, Previews)."))
    folder = (
        _built_in_folder(store, project, spec, may_train=may_train)
        if kind == "built-in"
        else _chosen_folder(store, project, spec, is_lead=is_lead)
    )
    load = load_options(project.settings, project.labels)
    settings_of_load = json.dumps([kind, load.prompt, load.labels, sorted(load.label_words.items())])
    preview_labels = project.settings.preview_labels if spec == preview else {}
    with _MODELS.one(
        (folder, settings_of_load), lambda: _loaded(spec, folder, load), spec, is_lead=is_lead
    ) as predictor:
        yield as_project_model(predictor, project, lambda model: preview_names(store, project, model, preview_labels))


def _built_in_folder(store: Store, project: Project, spec: str, *, may_train: bool) -> Path:
    folder = models_folder(store, project) / (built_in_name(spec) or BUILT_IN)
    if BagOfWords.is_saved(folder):
        return folder
    if may_train:
        raise NotFound(_("Train {spec} first (Saliency, Compute attributions).", spec=spec))
    raise NotFound(_("Ask a lead to train {spec}.", spec=spec))


def _chosen_folder(store: Store, project: Project, spec: str, *, is_lead: bool) -> Path:
    folder = folder_of_model(spec)
    try:
        require_allowed_place(spec, models_folder(store, project))
    except NotAllowed as error:
        if is_lead:
            raise
        raise ModelError(_(_UNUSABLE, name=preview_model_name(spec))) from error
    if not folder.is_dir():
        where = f" ('{folder}')" if is_lead else ""
        raise ModelError(
            _(
                "The folder of preview model '{name}'{where} is missing. The lead can change it (Project, Previews).",
                name=preview_model_name(spec),
                where=where,
            )
        )
    return folder


def load_options(settings: ProjectSettings, labels: Sequence[str]) -> LoadOptions:
    """How a model is asked; prompt, labels and words are of zero-shot ones alone.

    A folder needs no hub; but where it is allowed, it must not be forbidden to the processes that this one starts.
    """
    options = LoadOptions(too_long="cut", asks_hub=is_hub_allowed())
    if preview_model_kind(settings.preview_model) != "transformers-zero-shot":
        return options
    return replace(options, prompt=settings.preview_prompt, labels=tuple(labels), label_words=settings.preview_words)


def _loaded(spec: str, folder: Path, load: LoadOptions) -> Predictor:
    kind = preview_model_kind(spec)
    if kind == "built-in":
        return BagOfWords.load(folder, name=built_in_name(spec) or BUILT_IN)
    return load_predictor(f"{kind}:{folder}", load)


@dataclass(slots=True)
class _LoadedModel:
    """A model that is loaded, or being loaded; changed_at: of its folder when that began."""

    changed_at: int
    loading: Future[Predictor] = field(default_factory=Future)
    turn: threading.Lock = field(default_factory=threading.Lock)


_Key = tuple[Path, str]


class _LoadedModels:
    """The models of this process by their folders and by how they are asked."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._models: OrderedDict[_Key, _LoadedModel] = OrderedDict()
        self._waiting = threading.BoundedSemaphore(_MOST_WAITING)

    @contextmanager
    def one(self, key: _Key, load: Callable[[], Predictor], spec: str, *, is_lead: bool) -> Iterator[Predictor]:
        """A model for one who asks; it is loaded anew where its folder has changed."""
        name = preview_model_name(spec)
        if not self._waiting.acquire(blocking=False):
            raise Conflict(_(_BUSY, name=name))
        try:
            model = self._found(key, load)
            predictor = self._awaited(key, model, name, is_lead=is_lead)
            if not model.turn.acquire(timeout=_PATIENCE_S):
                raise Conflict(_(_BUSY, name=name))
            try:
                yield predictor
            finally:
                model.turn.release()
        finally:
            self._waiting.release()

    def _found(self, key: _Key, load: Callable[[], Predictor]) -> _LoadedModel:
        # When something in a folder, or in a folder of it, was changed last, in ns; 0 for one that is gone or empty
        folder = key[0]
        times = [0]
        for path in (*folder.glob("*"), *folder.glob("*/*")):
            try:
                times.append(path.stat().st_mtime_ns)
            except OSError:  # it went away meanwhile
                continue
        changed_at = max(times)
        with self._guard:
            model = self._models.get(key)
            if model is None or model.changed_at != changed_at:
                model = self._models[key] = _LoadedModel(changed_at)
                threading.Thread(target=_load, args=(model.loading, load), name="preview model", daemon=True).start()
            self._models.move_to_end(key)
            while len(self._models) > _MOST_KEPT:
                self._models.popitem(last=False)
            return model

    def _awaited(self, key: _Key, model: _LoadedModel, name: str, *, is_lead: bool) -> Predictor:
        try:
            return model.loading.result(_PATIENCE_S)
        except TimeoutError as error:
            raise Conflict(_(_BUSY, name=name)) from error
        except Exception as error:  # whatever a foreign model did while it was loaded
            with self._guard:  # the next question tries again: something may have been mended
                if self._models.get(key) is model:
                    del self._models[key]
            if is_lead and isinstance(error, AnnotatorError):
                raise
            if is_lead:
                reason = f"{type(error).__name__}: {error}"
                raise ModelError(
                    _("Can't load preview model '{name}' ({reason}).", name=name, reason=reason)
                ) from error
            raise ModelError(_(_UNUSABLE, name=name)) from error


def _load(loading: Future[Predictor], load: Callable[[], Predictor]) -> None:
    try:
        loading.set_result(load())
    except BaseException as error:  # noqa: BLE001  (whoever waits is to be told, whatever it is)
        loading.set_exception(error)


_MODELS = _LoadedModels()

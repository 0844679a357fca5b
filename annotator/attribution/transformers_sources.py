"""Where a transformers model is read from: a folder, or a name at the Hugging Face hub. What cannot be had is said at once.

Weights are read as safetensors alone, since pickled ones can run code; code that comes with a model is never run.
"""

import os
import re
import socket
import threading
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from annotator.attribution.transformers_loaded import first_line
from annotator.errors import ModelError
from annotator.language import _, unsaid

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_CHECKPOINT = re.compile(r"checkpoint-\d+")  # what a training leaves, the same name in each training's folder
_OF_THE_EXTRA = ("torch", "transformers", "huggingface_hub")
_OFFLINE = "HF_HUB_OFFLINE"
_PATIENCE_S = 2.0  # with a hub that does not answer; its own client tries again for half a minute
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.h5", "*.msgpack")
_NOT_HERE = unsaid(
    "There is no folder '{spec}', no model of that name was fetched to this machine before, and no other host is asked for "
    "one. Name a folder, or allow the Hugging Face hub with --allow-model-hub: of this command, or of 'annotator serve' for "
    "what is asked for on pages."
)
_IS_OFFLINE = unsaid(
    "There is no folder '{spec}', no model of that name was fetched to this machine before, and HF_HUB_OFFLINE forbids asking "
    "the Hugging Face hub. Name a folder, or unset HF_HUB_OFFLINE."
)
_UNREACHABLE = unsaid(
    "There is no folder '{spec}', no model of that name was fetched to this machine before, and the Hugging Face hub "
    "({endpoint}) cannot be reached from here. Name a folder, or fetch the model where there is a network."
)
_AGAIN = unsaid("Load it where you trust it and save it again with save_pretrained, which writes model.safetensors.")


def model_name(spec: str) -> str:
    """The model's name: the folder's, or that at the hub; raises ModelError for what is neither."""
    path = Path(spec).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(
                _(
                    "The folder {spec} holds no transformers model: config.json is missing. Name the folder that "
                    "save_pretrained wrote.",
                    spec=spec,
                )
            )
        whole = path.resolve()
        return f"{whole.parent.name}/{whole.name}" if _CHECKPOINT.fullmatch(whole.name) else whole.name
    if path.is_file():
        raise ModelError(_("{spec} is a file; name the folder of the model, which save_pretrained wrote.", spec=spec))
    if not _HUB_NAME.fullmatch(spec):
        raise ModelError(
            _("There is no folder {spec}, and a name at the Hugging Face hub looks like 'owner/model'.", spec=spec)
        )
    return spec


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model is read from. asks_hub: whether the hub is asked for what was not fetched before."""

    spec: str
    name: str
    asks_hub: bool

    @staticmethod
    def of(spec: str, *, asks_hub: bool) -> "Source":
        """What a person names, before anything large is loaded or another host is waited for.

        Raises: ModelError for a folder without weights that may be read, and for a name that cannot be had here
        """
        if not asks_hub:
            os.environ.setdefault(_OFFLINE, "1")  # read when transformers is loaded, for whatever it asks besides
        name, path = model_name(spec), Path(spec).expanduser()
        if path.is_dir():
            _check_weights(path)
            return Source(spec, name, asks_hub=False)
        return Source(spec, name, asks_hub=_may_ask(spec, asks_hub=asks_hub))

    def read(self, kind: Any, **options: object) -> Any:
        """What transformers loads, without running code that comes with a model.

        Raises: ModelError with the first line of what it says
        """
        path = Path(self.spec).expanduser()
        folder_or_name = str(path) if path.is_dir() else self.spec
        try:
            return kind.from_pretrained(
                folder_or_name, local_files_only=not self.asks_hub, trust_remote_code=False, **options
            )
        except ImportError as error:  # a tokenizer that needs sentencepiece, say
            raise ModelError(
                _(
                    "The model '{spec}' needs a package that is missing: {first_line}",
                    spec=self.spec,
                    first_line=first_line(error),
                )
            ) from error
        except Exception as error:  # whatever a damaged file makes of it: safetensors and tokenizers raise their own
            values = {"spec": self.spec, "first_line": first_line(error)}
            raise ModelError(
                _(
                    "The model '{spec}' cannot be loaded: {first_line} There is no folder of that name, and the Hugging Face hub "
                    "gave none.",
                    **values,
                )
                if self.asks_hub
                else _("The model '{spec}' cannot be loaded: {first_line}", **values)
            ) from error

    def weights(self, kind: Any, **options: object) -> Any:
        """A model with its weights, which are safetensors."""
        try:
            return self.read(kind, use_safetensors=True, **options)
        except ModelError as error:
            if isinstance(error.__cause__, OSError) and "safetensors" in str(error.__cause__):
                raise ModelError(
                    _(
                        "The model '{spec}' has no weights as safetensors. Others are not read, since they can run code. {again}",
                        spec=self.spec,
                        again=_(_AGAIN),
                    )
                ) from error
            raise


def _check_weights(folder: Path) -> None:
    """Raise ModelError for a folder whose weights are pickled, or of which nothing is left but its configuration."""
    if any(folder.glob("*.safetensors")):
        return
    pickled = sorted(
        path.name for pattern in _PICKLED for path in folder.glob(pattern) if path.name != "training_args.bin"
    )
    if pickled:
        raise ModelError(
            _(
                "The weights in {folder} are no safetensors ({pickled}). They are not read, since such files can run code. "
                "{again}",
                folder=folder,
                pickled=pickled[0],
                again=_(_AGAIN),
            )
        )


def _may_ask(spec: str, *, asks_hub: bool) -> bool:
    """Whether the hub is asked for a name: it is allowed and can be reached; what was fetched before needs neither.

    Raises: ModelError for what is not here and cannot be fetched
    """
    if any(find_spec(package) is None for package in _OF_THE_EXTRA):
        return False  # which is said where torch is needed
    hub, constants = import_module("huggingface_hub"), import_module("huggingface_hub.constants")
    try:
        is_here = isinstance(hub.try_to_load_from_cache(spec, "config.json"), str)
    except ValueError:  # no such name can be at the hub
        is_here = False
    if not asks_hub:
        refusal = _NOT_HERE
    elif constants.HF_HUB_OFFLINE:
        refusal = _IS_OFFLINE
    elif not _is_reachable(constants.ENDPOINT):
        refusal = _UNREACHABLE
    else:
        return True
    if not is_here:
        raise ModelError(refusal.format(spec=spec, endpoint=constants.ENDPOINT))
    return False


def _is_reachable(endpoint: str) -> bool:
    """Whether something takes a connection there, or at the proxy before it, within two seconds, finding its name included."""
    address = urlsplit(endpoint)
    proxy = getproxies().get(address.scheme)
    if proxy and not proxy_bypass(address.hostname or ""):
        address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    answers: list[bool] = []

    def ask() -> None:
        try:
            port = address.port or (80 if address.scheme == "http" else 443)
            socket.create_connection((address.hostname or "", port), timeout=_PATIENCE_S).close()
        except OSError:
            return
        answers.append(True)

    asking = threading.Thread(target=ask, name="hub", daemon=True)
    asking.start()
    asking.join(_PATIENCE_S)
    return bool(answers)

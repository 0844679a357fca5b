"""Tiny models with random weights and tokenizers trained on a few sentences, saved to folders and loaded by the real code."""

import os
from pathlib import Path
from typing import Any

import numpy as np

os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is loaded: no test asks another machine

SENTENCES = [
    "the film was great and the plot was not dull",
    "a dull plot, and unlikeable people: the worst film of the year",
    "who wrote the script? the director wrote the script in a week",
    "it’s unbelievable that that cat sat on the mat",
    "das war ein unglaublich schöner Film, und die Musik klang schön",
    "中文 电影 很 好看",
]
LABELS = {0: "negative", 1: "neutral", 2: "positive"}
LONGEST = 40


def save_all(folder: Path) -> dict[str, Path]:
    """Every tiny model of these tests, by name."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    makers = {
        "bert": bert,
        "roberta": roberta,
        "unigram": unigram,
        "byte-fallback": byte_fallback,
        "reader": reader,
        "gpt2": gpt2,
        "gpt2-eos": gpt2_that_ends,
        "llama": llama,
        "bart": bart,
    }
    for name, make in makers.items():
        make(folder / name)
    return {name: folder / name for name in makers}


# Models --------------------------------------------------------------------------------------------------------------


def small(**more: object) -> dict[str, Any]:
    """A model's shape; weights are drawn wide, so that its answers differ between texts."""
    return {
        "hidden_size": 16,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": LONGEST,
        "initializer_range": 0.3,
        "id2label": LABELS,
        "label2id": {label: number for number, label in LABELS.items()},
        **more,
    }


def save(model_class: str, config: object, tokenizer: Any, folder: Path) -> None:
    import torch
    import transformers

    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = getattr(transformers, model_class)(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def bert(folder: Path) -> None:
    from transformers import BertConfig

    tokenizer = wordpiece_tokenizer()
    config = BertConfig(vocab_size=len(tokenizer), pad_token_id=0, **small())
    save("BertForSequenceClassification", config, tokenizer, folder)


def reader(folder: Path) -> None:
    from transformers import BertConfig

    tokenizer = wordpiece_tokenizer()
    shape = small()
    del shape["id2label"], shape["label2id"]
    save("BertForQuestionAnswering", BertConfig(vocab_size=len(tokenizer), pad_token_id=0, **shape), tokenizer, folder)


def roberta(folder: Path) -> None:
    from transformers import RobertaConfig

    tokenizer = byte_level_tokenizer()
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        type_vocab_size=1,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **small(),
    )
    save("RobertaForSequenceClassification", config, tokenizer, folder)


def unigram(folder: Path) -> None:
    from transformers import BertConfig

    tokenizer = unigram_tokenizer()
    config = BertConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **small())
    save("BertForSequenceClassification", config, tokenizer, folder)


def byte_fallback(folder: Path) -> None:
    from transformers import BertConfig

    tokenizer = byte_fallback_tokenizer()
    config = BertConfig(vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **small())
    save("BertForSequenceClassification", config, tokenizer, folder)


def gpt2(folder: Path) -> None:
    """A decoder: no [CLS], no [MASK], and no subword to fill up batches with, nor any other of its own."""
    _gpt2(folder, {})


def as_it_is() -> Any:
    from tokenizers import processors

    return processors.ByteLevel(trim_offsets=False)


def _gpt2(folder: Path, roles: dict[str, str]) -> None:
    from transformers import GPT2Config

    tokenizer = byte_level_tokenizer(specials=["<|endoftext|>"], post=as_it_is(), roles=roles)
    shape = small(n_positions=LONGEST)
    for name in ("max_position_embeddings", "intermediate_size"):
        del shape[name]
    config = GPT2Config(vocab_size=len(tokenizer), bos_token_id=0, eos_token_id=0, pad_token_id=None, **shape)
    save("GPT2ForSequenceClassification", config, tokenizer, folder)


def gpt2_that_ends(folder: Path) -> None:
    """A decoder whose tokenizer knows its end of text, as the published one does, without putting it to texts."""
    _gpt2(folder, {"eos_token": "<|endoftext|>"})


def llama(folder: Path) -> None:
    """A decoder of the LLaMA kind: beginning and end of text, which its tokenizer puts to no text, and no padding."""
    from transformers import LlamaConfig

    tokenizer = byte_level_tokenizer(roles={"bos_token": "<s>", "eos_token": "</s>"}, post=as_it_is())
    config = LlamaConfig(
        vocab_size=len(tokenizer), bos_token_id=0, eos_token_id=2, pad_token_id=None, num_key_value_heads=2, **small()
    )  # fmt: skip
    save("LlamaForSequenceClassification", config, tokenizer, folder)


def bart(folder: Path) -> None:
    """Encoder and decoder share their embeddings."""
    from transformers import BartConfig

    tokenizer = byte_level_tokenizer()
    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=LONGEST,
        id2label=LABELS,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=None,
    )
    save("BartForSequenceClassification", config, tokenizer, folder)


# Tokenizers ----------------------------------------------------------------------------------------------------------


def wrapped(tokenizer: Any, roles: dict[str, str], **more: Any) -> Any:
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **roles, model_max_length=more.pop("longest", 10**30), **more
    )


def wordpiece_tokenizer() -> Any:
    """BERT's: lower case, ## for what goes on, [UNK] for what is not known.

    Its own trainer finds another vocabulary at each run; BPE's finds the same, and its subwords do as well.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    trained = Tokenizer(models.BPE())
    normalizer, before = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    trained.normalizer, trained.pre_tokenizer = normalizer, before
    trained.train_from_iterator(SENTENCES, trainers.BpeTrainer(vocab_size=90, show_progress=False))
    found = sorted(trained.get_vocab())
    subwords = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *found, *(f"##{subword}" for subword in found)]
    tokenizer = Tokenizer(models.WordPiece({subword: n for n, subword in enumerate(subwords)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, before
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    roles = {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    return wrapped(tokenizer, roles, model_input_names=["input_ids", "token_type_ids", "attention_mask"])


ROBERTA = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "pad_token": "<pad>",
           "unk_token": "<unk>", "mask_token": "<mask>"}  # fmt: skip


def byte_level_tokenizer(
    specials: list[str] | None = None, post: object | None = None, roles: dict[str, str] | None = None
) -> Any:
    """RoBERTa's and GPT-2's: Ġ for a blank, bytes for what is not known."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=specials or ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = post or processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return wrapped(tokenizer, ROBERTA if roles is None else roles)


def unigram_tokenizer() -> Any:
    """XLM-RoBERTa's and ALBERT's: ▁ for a blank, <unk> for what is not known."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained = Tokenizer(models.Unigram())
    trained.normalizer, trained.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=100, special_tokens=specials, unk_token="<unk>", show_progress=False)
    trained.train_from_iterator(SENTENCES, trainer)
    # it finds the same subwords at each run, but its scores differ a little: with these the fewest subwords win
    subwords = [*specials, *sorted(set(trained.get_vocab()) - set(specials))]
    tokenizer = Tokenizer(models.Unigram([(subword, -1 - n / 1000) for n, subword in enumerate(subwords)], unk_id=3))
    tokenizer.normalizer, tokenizer.pre_tokenizer = trained.normalizer, trained.pre_tokenizer
    tokenizer.add_special_tokens(specials)
    tokenizer.post_processor = between("<s>", 0, "</s>", 2)
    return wrapped(tokenizer, ROBERTA)


def byte_fallback_tokenizer() -> Any:
    """LLaMA's and Gemma's: ▁ for a blank, <0xF0> for a byte of what is not known."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    n_bytes = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=[AddedToken(s) for s in [*specials, *n_bytes]], show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    # the trainer knows no fallback: put vocabulary and merges into a model that has it
    import json

    made = json.loads(tokenizer.to_str())
    made["model"] |= {"byte_fallback": True, "unk_token": "<unk>"}
    made["added_tokens"] = [token for token in made["added_tokens"] if token["content"] not in n_bytes]
    tokenizer = Tokenizer.from_str(json.dumps(made))
    tokenizer.post_processor = between("<s>", 0, "</s>", 2)
    return wrapped(tokenizer, ROBERTA)


def between(first: str, first_id: int, last: str, last_id: int) -> Any:
    from tokenizers import processors

    return processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=f"{first} $A {last} {last} $B {last}",
        special_tokens=[(first, first_id), (last, last_id)],
    )


# Tiny models that write, saved to folders: two with random weights, and one that learned to copy a cue word.

CUES = ["great", "dull", "worst", "week"]
OTHERS = ["film", "plot", "year", "script", "people", "music"]


def decoder(folder: Path) -> None:
    from transformers import GPT2Config

    tokenizer = byte_level_tokenizer(specials=["<|endoftext|>"], post=as_it_is(), roles={"eos_token": "<|endoftext|>"})
    shape = small(n_positions=60)
    for name in ("max_position_embeddings", "intermediate_size", "id2label", "label2id"):
        del shape[name]
    config = GPT2Config(vocab_size=len(tokenizer), bos_token_id=0, eos_token_id=0, pad_token_id=None, **shape)
    save("GPT2LMHeadModel", config, tokenizer, folder)


def encoder_with_decoder(folder: Path) -> None:
    from transformers import T5Config

    tokenizer = byte_level_tokenizer()
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, pad_token_id=1, eos_token_id=2,
        decoder_start_token_id=1,
    )  # fmt: skip
    save("T5ForConditionalGeneration", config, tokenizer, folder)


def copier(folder: Path) -> None:
    """A decoder that learned to write the one cue word of a text, wherever it stands."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel

    vocabulary = {word: n for n, word in enumerate(["<end>", ":", *CUES, *OTHERS])}
    bare = Tokenizer(models.WordLevel(vocabulary, unk_token="<end>"))
    bare.pre_tokenizer, bare.decoder = pre_tokenizers.WhitespaceSplit(), decoders.Fuse()
    tokenizer = wrapped(bare, {"eos_token": "<end>", "unk_token": "<end>"})
    torch.set_num_threads(1)  # more are many times slower where the machine is busy
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=len(vocabulary),
                n_positions=20,
                n_embd=32,
                n_layer=2,
                n_head=2,
                bos_token_id=0,
                eos_token_id=0,
                resid_pdrop=0.0,
                embd_pdrop=0.0,
                attn_pdrop=0.0,
            )
        )
        optimiser, chance = torch.optim.AdamW(model.parameters(), lr=3e-3), np.random.default_rng(3)
        for _ in range(300):
            rows, cues = _texts_with_a_cue(chance, 32, vocabulary)
            logits = model(torch.tensor(rows)).logits
            loss = torch.nn.functional.cross_entropy(logits[:, -2], torch.tensor(cues))
            loss += torch.nn.functional.cross_entropy(logits[:, -1], torch.zeros(32, dtype=torch.long))
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _texts_with_a_cue(
    chance: np.random.Generator, n: int, vocabulary: dict[str, int]
) -> tuple[list[list[int]], list[int]]:
    """Six words of which one is a cue, the colon, and the cue."""
    rows, cues = [], []
    for _ in range(n):
        words, cue = list(chance.choice(OTHERS, 6)), str(chance.choice(CUES))
        words[int(chance.integers(6))] = cue
        rows.append([vocabulary[word] for word in [*words, ":", cue]])
        cues.append(vocabulary[cue])
    return rows, cues

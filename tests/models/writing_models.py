"""Tiny models that write, saved to folders: two with random weights, and one that learned to copy a cue word."""

from pathlib import Path

import numpy as np

from tests.models.tiny_models import as_it_is, byte_level_tokenizer, save, small, wrapped

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

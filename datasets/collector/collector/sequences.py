"""Transformers and recurrent networks."""

from __future__ import annotations

from typing import Callable

from .blocks import Options, Residual
from .pytorch import F, nn, torch


class Attention(nn.Module):
    """Self-attention; fused where this PyTorch has a fused one."""

    def __init__(self, width: int, heads: int, causal: bool = False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, t, width = x.shape
        q, k, v = self.project(x).reshape(n, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        return self.out(self.mix(q, k, v).transpose(1, 2).reshape(n, t, width))

    def mix(self, q, k, v):
        if hasattr(F, "scaled_dot_product_attention") and not torch.onnx.is_in_onnx_export():
            return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if self.causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(hidden, float("-inf"))
        return scores.softmax(-1) @ v


def transformer_layer(width: int, heads: int, inner: int, causal: bool, norm_first: bool) -> nn.Module:
    attention = Attention(width, heads, causal)
    feed = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))
    if norm_first:
        return nn.Sequential(
            Residual(nn.Sequential(nn.LayerNorm(width), attention)), Residual(nn.Sequential(nn.LayerNorm(width), feed))
        )
    return nn.Sequential(Residual(attention, after=nn.LayerNorm(width)), Residual(feed, after=nn.LayerNorm(width)))


class TokenEmbedding(nn.Module):
    """Sum of the embeddings of a token and of its position."""

    def __init__(self, vocabulary: int, positions: int, width: int, normed: bool):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width) if normed else nn.Identity()

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.norm(self.token(tokens) + self.position(places))


class FirstToken(nn.Module):
    def forward(self, x):
        return x[:, 0]


def encoder(width: int, layers: int, heads: int) -> Callable[[Options], nn.Module]:
    """BERT [Devlin et al. 2019] with its pooler and a classifier of two classes."""

    def build(options: Options) -> nn.Module:
        body = [transformer_layer(width, heads, 4 * width, False, False) for _ in range(layers)]
        pooler = [FirstToken(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, options.whole("classes", 2))]
        return nn.Sequential(TokenEmbedding(BERT_VOCABULARY, 512, width, True), *body, *pooler)

    return build


def decoder(width: int, layers: int, heads: int) -> Callable[[Options], nn.Module]:
    """GPT-2 [Radford et al. 2019]; the last layer shares the embedding's weights."""

    def build(options: Options) -> nn.Module:
        embedding = TokenEmbedding(GPT_VOCABULARY, 1024, width, False)
        body = [transformer_layer(width, heads, 4 * width, True, True) for _ in range(layers)]
        last = nn.Linear(width, GPT_VOCABULARY, bias=False)
        last.weight = embedding.token.weight
        return nn.Sequential(embedding, *body, nn.LayerNorm(width), last)

    return build


def small_transformer(options: Options) -> nn.Module:
    width, vocabulary = options.whole("width", 64), options.whole("vocabulary", 10000)
    heads, layers = options.whole("heads", 4), options.whole("layers", 2)
    body = [transformer_layer(width, heads, 4 * width, True, False) for _ in range(layers)]
    embedding = TokenEmbedding(vocabulary, options.whole("tokens", 200), width, False)
    return nn.Sequential(embedding, *body, nn.Linear(width, vocabulary))


class LanguageModel(nn.Module):
    """Embedding, LSTM, linear layer over the vocabulary."""

    def __init__(self, vocabulary: int, width: int, layers: int, both_ways: bool):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.recurrent = nn.LSTM(width, width, layers, batch_first=True, bidirectional=both_ways)
        self.out = nn.Linear(width * (2 if both_ways else 1), vocabulary)

    def forward(self, tokens):
        return self.out(self.recurrent(self.embedding(tokens))[0])


def lstm(options: Options) -> nn.Module:
    width, layers = options.whole("width", 512), options.whole("layers", 2)
    return LanguageModel(options.whole("vocabulary", 10000), width, layers, options.get("directions") == "2")


class VisionTransformer(nn.Module):
    def __init__(self, image: int, width: int, layers: int, heads: int, classes: int):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.randn(1, (image // 16) ** 2 + 1, width) * 0.02)
        body = [transformer_layer(width, heads, 4 * width, False, True) for _ in range(layers)]
        self.body = nn.Sequential(*body, nn.LayerNorm(width), FirstToken(), nn.Linear(width, classes))

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.body(torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1) + self.position)


def vision_transformer(width: int, layers: int, heads: int) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        return VisionTransformer(options.whole("image", 224), width, layers, heads, options.whole("classes", 1000))

    return build


BERT_VOCABULARY = 30522
GPT_VOCABULARY = 50257

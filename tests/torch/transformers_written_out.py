"""Transformers for networks.py."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class EncoderBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.self_attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        y = self.ln_1(x)
        x = x + self.self_attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class Vit(nn.Module):
    def __init__(self, width=768, depth=12, heads=12, patch=16, size=224):
        super().__init__()
        self.conv_proj = nn.Conv2d(3, width, patch, patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.pos_embedding = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, width))
        self.blocks = nn.Sequential(*(EncoderBlock(width, heads) for _ in range(depth)))
        self.ln, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, x):
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1) + self.pos_embedding
        return self.head(self.ln(self.blocks(x))[:, 0])


class SwinBlock(nn.Module):
    """Windows that are shifted, with a table of relative positions (Liu et al., arXiv 2103.14030)."""

    def __init__(self, width=96, heads=3, window=7, shift=3):
        super().__init__()
        self.heads, self.window, self.shift = heads, window, shift
        self.patches, self.norm1, self.norm2 = nn.Conv2d(3, width, 4, 4), nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        self.register_buffer("index", torch.zeros(window**2 * window**2, dtype=torch.long))
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.head = nn.Linear(width, 10)

    def attend(self, x):
        b, h, w, c = x.shape
        m, tokens = self.window, self.window**2
        x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        x = x.view(b, h // m, m, w // m, m, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, tokens, c)
        q, k, v = self.qkv(x).view(-1, tokens, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q * (c // self.heads) ** -0.5) @ k.transpose(-2, -1)
        scores = scores + self.table[self.index].view(tokens, tokens, -1).permute(2, 0, 1).unsqueeze(0)
        x = self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(-1, tokens, c))
        x = x.view(b, h // m, w // m, m, m, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        return torch.roll(x, (self.shift, self.shift), (1, 2))

    def forward(self, x):
        x = self.patches(x).permute(0, 2, 3, 1)
        x = x + self.attend(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return self.head(x.mean((1, 2)))


class Conv1D(nn.Module):
    """A product whose weight lies the other way round, as Hugging Face's GPT-2 has it."""

    def __init__(self, features, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(width, features)), nn.Parameter(torch.zeros(features))

    def forward(self, x):
        flat = torch.addmm(self.bias, x.view(-1, x.shape[-1]), self.weight)
        return flat.view(*x.shape[:-1], self.bias.shape[0])


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = Conv1D(3 * width, width), Conv1D(width, width)
        self.fc, self.proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (
            each.view(b, t, self.heads, c // self.heads).transpose(1, 2)
            for each in self.c_attn(self.ln_1(x)).split(c, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))
        return x + self.proj(F.gelu(self.fc(self.ln_2(x))))


class Gpt(nn.Module):
    """GPT-2; the head has the weight of the embedding."""

    def __init__(self, width=768, depth=12, heads=12, tokens=50257, positions=1024):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(tokens, width), nn.Embedding(positions, width)
        self.h = nn.ModuleList(GptBlock(width, heads) for _ in range(depth))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, numbers):
        x = self.wte(numbers) + self.wpe(torch.arange(numbers.shape[1], device=numbers.device))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class Translation(nn.Module):
    """Encoder and decoder of nn.Transformer; batch second, scores written out."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(500, 32)
        self.transformer = nn.Transformer(32, 4, 2, 2, 64)
        self.head = nn.Linear(32, 500)

    def forward(self, source, target):
        made = self.transformer(self.embed(source).transpose(0, 1), self.embed(target).transpose(0, 1))
        return self.head(made.transpose(0, 1))


class Mixer(nn.Module):
    """Products over tokens (Tolstikhin et al., arXiv 2105.01601), with a trained scale."""

    def __init__(self, tokens=49, width=64):
        super().__init__()
        self.patches, self.norm = nn.Conv2d(3, width, 4, 4), nn.LayerNorm(width)
        self.over_tokens = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.scale, self.head = nn.Parameter(torch.ones(width)), nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = x + self.scale * self.over_tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return self.head(x.mean(1))


class Queries(nn.Module):
    """Trained queries read the samples (a detector's, a Perceiver's), scores written out."""

    def __init__(self):
        super().__init__()
        self.queries = nn.Parameter(torch.zeros(1, 7, 16))
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        made, weights = self.attention(self.queries.expand(x.shape[0], -1, -1), x, x)
        return self.head(made)


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class LlamaBlock(nn.Module):
    """Grouped queries, turned by their positions; a gated MLP."""

    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.norm1, self.norm2 = RmsNorm(width), RmsNorm(width)
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, kv_heads * self.size, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(width, 3 * width, bias=False) for _ in range(2))
        self.down = nn.Linear(3 * width, width, bias=False)

    def forward(self, x, cos, sin, mask):
        b, t, _ = x.shape
        y = self.norm1(x)
        q, k, v = (each(y).view(b, t, -1, self.size).transpose(1, 2) for each in (self.q, self.k, self.v))
        q, k = (each * cos + torch.cat(each.chunk(2, -1)[::-1], -1) * sin for each in (q, k))
        k, v = (each[:, :, None].expand(-1, -1, self.heads // each.shape[1], -1, -1).flatten(1, 2) for each in (k, v))
        scores = (q @ k.transpose(2, 3) / math.sqrt(self.size) + mask).softmax(-1)
        x = x + self.o((scores @ v).transpose(1, 2).reshape(b, t, -1))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, width=64, depth=2, heads=4, kv_heads=2, tokens=100):
        super().__init__()
        self.embed, self.norm = nn.Embedding(tokens, width), RmsNorm(width)
        self.layers = nn.ModuleList(LlamaBlock(width, heads, kv_heads) for _ in range(depth))
        self.head = nn.Linear(width, tokens, bias=False)
        self.register_buffer("frequencies", torch.ones(width // heads // 2))

    def forward(self, numbers, attended=None):
        x, t = self.embed(numbers), numbers.shape[1]
        angles = torch.arange(t, device=x.device)[:, None] * self.frequencies[None]
        angles = torch.cat([angles, angles], -1)
        mask = torch.full((t, t), float("-inf"), device=x.device).triu(1)[None, None]
        if attended is not None:
            mask = mask + (1 - attended[:, None, None, :].float()) * -1e4
        for layer in self.layers:
            x = layer(x, angles.cos(), angles.sin(), mask)
        return self.head(self.norm(x))


class Bert(nn.Module):
    """Three inputs: tokens, which of them are there, and their types."""

    def __init__(self, width=32, tokens=90):
        super().__init__()
        self.words, self.positions, self.types = (nn.Embedding(each, width) for each in (tokens, 64, 2))
        self.norm = nn.LayerNorm(width)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 4, 64, batch_first=True), 2)
        self.pool, self.head = nn.Linear(width, width), nn.Linear(width, 3)
        self.register_buffer("places", torch.arange(64).expand((1, -1)))

    def forward(self, numbers, attended, types):
        x = self.words(numbers) + self.types(types) + self.positions(self.places[:, : numbers.shape[1]])
        x = self.encoder(self.norm(x), src_key_padding_mask=attended == 0)
        return self.head(torch.tanh(self.pool(x[:, 0])))


def attention_of_pytorch_2(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """scaled_dot_product_attention for a PyTorch that is older than it."""
    given = (query, key, value)
    if torch.overrides.has_torch_function(given):
        return torch.overrides.handle_torch_function(
            attention_of_pytorch_2, given, *given, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal
        )
    return (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1) @ value


attention_of_pytorch_2.__name__ = "scaled_dot_product_attention"
if not hasattr(F, "scaled_dot_product_attention"):
    F.scaled_dot_product_attention = attention_of_pytorch_2

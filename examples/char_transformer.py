"""Character transformer: it reads dates as people write them, and writes them as machines do.

`march 5, 1987=1987-03-05`, character by character. A transformer is trained to continue such lines, like any language
model, and then writes what comes after the `=` of dates that it has never seen. A third of all dates is held back, so the
share of lines without a mistake says whether it has learned the rule.
"""

# %%
import calendar
import datetime

import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

STEPS = 300  # small: 80
BATCH, WIDTH, HEADS, BLOCKS = 64, 64, 4, 2
tf.keras.utils.set_random_seed(0)
random = np.random.default_rng(0)

# %% [markdown]
# ## Lines
#
# Three ways to write a day, one answer. Lines are filled up at the end; the answer always has ten characters.

# %%
MONTHS = [name.lower() for name in calendar.month_name[1:]]
days = [
    datetime.date(1950, 1, 1) + datetime.timedelta(days=number)
    for number in range(27393)
]
random.shuffle(days)
train_days, test_days = days[: 2 * len(days) // 3], days[2 * len(days) // 3 :]


def written(day):
    month = MONTHS[day.month - 1]
    forms = (
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{month[:3]} {day.day} {day.year}",
    )
    return forms[random.integers(3)]


LENGTH = 30
ALPHABET = sorted(
    set("abcdefghijklmnopqrstuvwxyz0123456789 ,-=.")
)  # the dot ends a line


def encode(text):
    return [ALPHABET.index(letter) for letter in text.ljust(LENGTH, ".")]


def batch_of(days):
    return np.array(
        [encode(f"{written(day)}={day.isoformat()}") for day in days], np.int32
    )


print(f"{written(test_days[0])}={test_days[0].isoformat()}")

# %% [markdown]
# ## The transformer
#
# Each position looks at those before it. Keras has the attention; the rest is two sums and two norms a block.

# %%
layers = tf.keras.layers


class Transformer(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.letters, self.places = (
            layers.Embedding(len(ALPHABET), WIDTH),
            layers.Embedding(LENGTH, WIDTH),
        )
        self.attention = [
            layers.MultiHeadAttention(HEADS, WIDTH // HEADS) for _ in range(BLOCKS)
        ]
        self.thinking = [
            tf.keras.Sequential(
                [layers.Dense(4 * WIDTH, "gelu"), layers.Dense(WIDTH)]
            )
            for _ in range(BLOCKS)
        ]
        self.norms = [layers.LayerNormalization() for _ in range(2 * BLOCKS + 1)]
        self.scores = layers.Dense(len(ALPHABET))

    def read(self, text):
        """The scores of the next letters, and where the last block looks."""
        value = self.letters(text) + self.places(tf.range(tf.shape(text)[1]))
        for number in range(BLOCKS):
            normed = self.norms[2 * number](value)
            heard, look = self.attention[number](
                normed, normed, use_causal_mask=True, return_attention_scores=True
            )
            value += heard
            value += self.thinking[number](self.norms[2 * number + 1](value))
        return self.scores(self.norms[-1](value)), look

    def call(self, text):
        return self.read(text)[0]


# %% [markdown]
# ## Train
#
# The loss counts what comes after the `=`: nobody can know which day will be written before it.

# %%
model = Transformer()
optimizer = tf.keras.optimizers.Adam(
    tf.keras.optimizers.schedules.CosineDecay(3e-3, STEPS)
)
EQUALS = ALPHABET.index("=")


@tf.function
def train_step(lines):
    given, next_letters = lines[:, :-1], lines[:, 1:]
    with tf.GradientTape() as tape:
        scores = model(given)
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=next_letters, logits=scores
        )
        counts = tf.cast(
            tf.cumsum(tf.cast(given == EQUALS, tf.int32), axis=1) > 0, tf.float32
        )
        loss = tf.reduce_sum(counts * each) / tf.reduce_sum(counts)
    gradients = tape.gradient(loss, model.trainable_variables)
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    optimizer.apply_gradients(
        zip(gradients, model.trainable_variables, strict=True)
    )
    return loss


losses = []
for step in range(1, STEPS + 1):
    chosen = random.integers(len(train_days), size=BATCH)
    losses.append(
        float(
            train_step(
                tf.constant(batch_of([train_days[number] for number in chosen]))
            )
        )
    )
    if step % (STEPS // 4) == 0:
        print(
            f"step {step:4}   loss {np.mean(losses[-20:]):.4f} nats per character"
        )

# %% [markdown]
# ## Write
#
# One character after the other, the most likely each time. All lines of a batch are written at once, each from its own `=`.


# %%
@tf.function
def write(lines, lengths):
    for step in range(10):
        scores = tf.gather(model(lines), lengths + step - 1, axis=1, batch_dims=1)
        letters = tf.argmax(scores, axis=1, output_type=tf.int32)
        lines = tf.where(
            tf.range(LENGTH) == (lengths + step)[:, tf.newaxis],
            letters[:, tf.newaxis],
            lines,
        )
    return lines


def answers(questions):
    lines = tf.constant([encode(question + "=") for question in questions])
    lengths = tf.constant([len(question) + 1 for question in questions])
    written = write(lines, lengths).numpy()
    texts = ["".join(ALPHABET[letter] for letter in line) for line in written]
    return [text.rstrip(".").partition("=")[2] for text in texts]


asked = test_days[:500]
questions = [written(day) for day in asked]
given = answers(questions)
right = np.mean(
    [answer == day.isoformat() for answer, day in zip(given, asked, strict=True)]
)
for question, answer in list(zip(questions, given, strict=True))[:4]:
    print(f"{question:20} {answer}")
print(f"{right:.1%} of {len(asked)} new dates without a mistake")

# %% [markdown]
# ## What it looks at
#
# A row of the picture is a character that is written, a column one that is read: the last digit of
# the day looks at that digit.

# %% picture
line = f"{questions[1]}={asked[1].isoformat()}"
weight = model.read(tf.constant([encode(line)]))[1][0].numpy().mean(axis=0)
first = line.index("=")
figure, (axes, curve) = plt.subplots(2, 1, figsize=(6, 6.4), height_ratios=(3, 2))
image = axes.imshow(
    weight[first : len(line) - 1, : len(line) - 1], cmap="viridis", aspect="auto"
)
figure.colorbar(image, ax=axes, label="attention weight")
axes.set_xticks(range(len(line) - 1), list(line[:-1]))
axes.set_yticks(range(len(line) - 1 - first), list(line[first + 1 :]))
axes.set(title="Where the last layer looks", xlabel="read", ylabel="written")
curve.semilogy(losses, color="C0", linewidth=1)
curve.set(title="Loss", xlabel="step", ylabel="nats per character")
figure.savefig("char_transformer.png")

"""Graph network: who belongs to which group, from a few labels and the edges.

240 people in four groups. Friends are mostly of the same group, what is known of each person is noisy, and the group of five
people in each is known. A graph network lets each person hear from the friends; a plain net sees only what is known of the
person. Messages are `tf.gather` along the edges and a sum at each node.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

import gradtape as tf

STEPS = 300  # small: 100
PEOPLE, GROUPS, FEATURES, KNOWN = 240, 4, 16, 5
tf.keras.utils.set_random_seed(0)
random = np.random.default_rng(5)

# %% [markdown]
# ## A graph with groups

# %%
group = np.arange(PEOPLE) % GROUPS
together = np.where(
    group[:, None] == group, 0.09, 0.008
)  # the chance to be friends
friends = np.triu(random.uniform(size=(PEOPLE, PEOPLE)) < together, 1)
senders, receivers = np.nonzero(
    friends | friends.T | np.eye(PEOPLE, dtype=bool)
)  # and each with oneself
features = (
    0.5 * random.normal(size=(GROUPS, FEATURES))[group]
    + random.normal(size=(PEOPLE, FEATURES))
).astype(np.float32)
known = np.concatenate(
    [np.flatnonzero(group == number)[:KNOWN] for number in range(GROUPS)]
)
hidden = np.setdiff1d(np.arange(PEOPLE), known)
print(f"{PEOPLE} people, {friends.sum()} friendships, {len(known)} known groups")

# %% [markdown]
# ## A layer of messages
#
# Each node sends its row along its edges; each receives the sum, divided by the square roots of both degrees (Kipf and
# Welling, 2017). Then a dense layer. `messages=False` leaves the first part out.

# %%
degree = tf.math.bincount(receivers, minlength=PEOPLE, dtype=tf.float32)
strength = tf.math.rsqrt(tf.gather(degree, senders) * tf.gather(degree, receivers))[
    :, tf.newaxis
]


class GraphNet(tf.keras.Model):
    def __init__(self, messages):
        super().__init__()
        self.messages = messages
        self.first = tf.keras.layers.Dense(32, "relu")
        self.second = tf.keras.layers.Dense(GROUPS)
        self.dropout = tf.keras.layers.Dropout(0.5)

    def hear(self, nodes):
        if not self.messages:
            return nodes
        return tf.math.unsorted_segment_sum(
            strength * tf.gather(nodes, senders), receivers, PEOPLE
        )

    def call(self, nodes, training=False):
        nodes = self.dropout(self.first(self.hear(nodes)), training=training)
        return self.second(self.hear(nodes))


# %% [markdown]
# ## Train on twenty labels
#
# The loss looks at the known people alone, the messages go through all.


# %%
def train(messages):
    model, optimizer = (
        GraphNet(messages),
        tf.keras.optimizers.Adam(0.01, weight_decay=0.01),
    )
    nodes, labels = tf.constant(features), tf.constant(group[known])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            scores = tf.gather(model(nodes, training=True), known)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels, logits=scores
                )
            )
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(
            zip(gradients, model.trainable_variables, strict=True)
        )

    curve = []
    for _ in range(STEPS):
        step()
        curve.append(
            np.mean(
                tf.argmax(model(nodes), axis=1).numpy()[hidden] == group[hidden]
            )
        )
    return model, curve


graph_net, with_messages = train(messages=True)
plain_net, without_messages = train(messages=False)
print(
    f"right among the {len(hidden)} others: {with_messages[-1]:.1%} with messages, {without_messages[-1]:.1%} without"
)

# %% [markdown]
# ## Whose friends decided?
#
# The gradient of one person's score by all features is a question to the network: from how far away did it hear? With two
# layers, friends of friends, and nobody else.

# %%
person = int(hidden[0])
nodes = tf.constant(features)
with tf.GradientTape() as tape:
    tape.watch(nodes)
    score = graph_net(nodes)[person, group[person]]
influence = tf.norm(tape.gradient(score, nodes), axis=1).numpy()
reach = (friends | friends.T | np.eye(PEOPLE, dtype=bool)).astype(int)
within_two = (reach @ reach)[person] > 0
outside = influence[~within_two].max()
print(
    f"person {person}: {within_two.sum()} within two steps; influence of all others {outside:g}"
)

# %% picture
figure, (graph, curve) = plt.subplots(2, 1, figsize=(6, 7.8), height_ratios=(5, 3))
corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
place = corners[group] + random.normal(0, 0.15, (PEOPLE, 2))
near = reach[person] > 0
for one, other in zip(*np.nonzero(friends), strict=True):
    if near[one] or near[other]:  # the ways on which the person hears
        graph.plot(
            *place[[one, other]].T, color="0.5", linewidth=0.7, alpha=0.5, zorder=1
        )
guess = tf.argmax(graph_net(nodes), axis=1).numpy()
for number in range(GROUPS):
    members = np.flatnonzero(guess == number)
    graph.scatter(*place[members].T, s=22, color=f"C{number}", zorder=2)
wrong = np.flatnonzero(guess != group)
graph.scatter(
    *place[wrong].T, s=70, marker="x", color="C8", zorder=3, label="wrong"
)
graph.scatter(
    *place[known].T,
    s=90,
    facecolors="none",
    edgecolors="0.5",
    linewidths=1.8,
    zorder=3,
    label="known",
)
graph.scatter(
    *place[person],
    s=160,
    marker="*",
    color="C5",
    zorder=4,
    label=f"person {person}",
)
graph.set(
    title="A cloud is a group, a colour what the network says", xticks=[], yticks=[]
)
graph.spines[:].set_visible(False)
graph.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
curve.plot(
    [100 * value for value in with_messages], color="C0", label="with messages"
)
curve.plot([100 * value for value in without_messages], color="C1", label="without")
curve.set(
    title="People whose group is right", xlabel="step", ylabel="%", ylim=(20, 102)
)
curve.legend(loc="lower right")
figure.savefig("graph_network.png")

/** A fact the platform has not acknowledged yet; it keeps its number for ever. */
export type Message = {
  kind: string
  boot: number
  seq: number
  body: Record<string, unknown>
  sentAt: number
  sends: number
  held: boolean
}

/** What a machine still has to tell. Lives in memory that survives a loss of power. */
type Outbox = {
  add(message: Message): void
  acknowledge(boot: number, seqs: readonly number[]): void
  /** Sends again from here on: after a reconnect everything, after a resend request one range. */
  renew(match: (message: Message) => boolean): void
  /** Messages that are due, oldest first, at most `max`. */
  due(now: number, max: number): Message[]
  all(): readonly Message[]
}

const pauses = [10_000, 30_000, 60_000]
const capacity = 2000

export function openOutbox(before: readonly Message[]): Outbox {
  let messages = before.map((message) => ({ ...message, sentAt: 0, held: false }))
  return {
    add(message) {
      // the oldest measurement goes first when there is no more room; vends stay
      if (messages.length >= capacity)
        messages.splice(
          Math.max(
            0,
            messages.findIndex((old) => old.kind === 'telemetry'),
          ),
          1,
        )
      messages.push(message)
    },
    acknowledge(boot, seqs) {
      const known = new Set(seqs)
      messages = messages.filter((message) => message.boot !== boot || !known.has(message.seq))
    },
    renew(match) {
      for (const message of messages) if (match(message)) message.sentAt = 0
    },
    due: (now, max) =>
      messages
        .filter(
          (message) =>
            !message.held &&
            (message.sentAt === 0 ||
              now - message.sentAt >= (pauses[Math.min(message.sends, pauses.length) - 1] ?? 0)),
        )
        .slice(0, max),
    all: () => messages,
  }
}

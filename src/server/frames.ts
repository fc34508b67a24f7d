/** A bound value: text, bytes, or null. */
export type Value = string | Buffer | null

/**
 * Messages of PostgreSQL's extended query protocol, gathered into one buffer; a portal without a
 * name, answers as text.
 */
export type Frames = {
  close(name: string): void
  parse(name: string, text: string): void
  bind(name: string, values: readonly Value[]): void
  describe(): void
  execute(): void
  /** With the sync that ends them. */
  end(): Buffer
}

const letter = (text: string): number => text.charCodeAt(0)
const [closing, parsing, binding, describing, executing, syncing] = [
  'C',
  'P',
  'B',
  'D',
  'E',
  'S',
].map(letter) as [number, number, number, number, number, number]
/** Enough for most; what is sent is a copy of its part. */
let room = Buffer.allocUnsafe(65_536)

export function openFrames(): Frames {
  let at = 0
  let begun = 0
  function need(bytes: number): void {
    if (at + bytes <= room.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * room.length, at + bytes))
    room.copy(larger, 0, 0, at)
    room = larger
  }
  function begin(kind: number): void {
    need(5)
    room[at] = kind
    begun = at + 1
    at += 5
  }
  const finish = (): void => void room.writeInt32BE(at - begun, begun)
  function int16(value: number): void {
    need(2)
    at = room.writeInt16BE(value, at)
  }
  function int32(value: number): void {
    need(4)
    at = room.writeInt32BE(value, at)
  }
  function byte(value: number): void {
    need(1)
    room[at] = value
    at += 1
  }
  function text(value: string): void {
    need(3 * value.length + 1)
    at += room.write(value, at)
    byte(0)
  }
  function bound(value: Value): void {
    if (value === null) return int32(-1)
    if (typeof value !== 'string') {
      int32(value.length)
      need(value.length)
      at += value.copy(room, at)
      return
    }
    need(4 + 3 * value.length)
    const length = room.write(value, at + 4)
    room.writeInt32BE(length, at)
    at += 4 + length
  }
  return {
    close(name) {
      begin(closing)
      byte(syncing)
      text(name)
      finish()
    },
    parse(name, sql) {
      begin(parsing)
      text(name)
      text(sql)
      int16(0)
      finish()
    },
    bind(name, values) {
      begin(binding)
      text('')
      text(name)
      int16(values.length)
      for (const value of values) int16(value === null || typeof value === 'string' ? 0 : 1)
      int16(values.length)
      for (const value of values) bound(value)
      int16(0)
      finish()
    },
    describe() {
      begin(describing)
      byte(parsing)
      text('')
      finish()
    },
    execute() {
      begin(executing)
      text('')
      int32(0)
      finish()
    },
    end() {
      begin(syncing)
      finish()
      const sent = Buffer.allocUnsafe(at)
      room.copy(sent, 0, 0, at)
      // what was once very large is not kept
      if (room.length > 1_048_576) room = Buffer.allocUnsafe(65_536)
      return sent
    },
  }
}

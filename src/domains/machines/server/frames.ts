import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

export type FrameLimits = {
  /** Bytes of one packet. */
  readonly packet: number
  /** Packets and bytes a second, and at once; faster ones wait in the sender. */
  readonly packets: number
  readonly packetBurst: number
  readonly bytes: number
  readonly byteBurst: number
  /** Bytes that wait for the reader; from a quarter of it on nothing more is heard from him. */
  readonly unread: number
  /** Held back for so long without a break, a connection ends. */
  readonly heldMs: number
}
export type Cut = 'frame' | 'slow' | 'flood'
const stepMs = 100

/**
 * A socket with bounds on what goes through it, before anybody parses it: the broker's parser would
 * gather 256 MB of one packet, and answer as many small ones as a wire holds. A sender that is too
 * fast is read more slowly, a reader that does not read ends.
 */
export function boundedFrames(
  socket: Socket,
  limits: FrameLimits,
  cut: (why: Cut) => void,
  spoke: () => void = () => {},
): Duplex {
  let left = 0
  let header = 0
  let length = 0
  let packets = limits.packetBurst
  let bytes = limits.byteBurst
  let filledAt = performance.now()
  let whole = 0
  let held: Buffer | undefined
  let heldSince = 0
  let room = true
  let timer: NodeJS.Timeout | undefined
  let waiting: (() => void) | undefined

  /**
   * How much of the chunk may go on: up to the packet for which there is no room now. Negative: a
   * packet is too long.
   */
  function admitted(chunk: Buffer): number {
    let at = 0
    while (at < chunk.length) {
      if (left > 0) {
        const step = Math.min(left, chunk.length - at)
        left -= step
        at += step
        bytes -= step
        if (left === 0) whole += 1
        continue
      }
      if (header === 0) {
        if (packets < 1 || bytes < 1) return at
        packets -= 1
        header = 1
        length = 0
      } else {
        length += ((chunk[at] as number) & 127) * 128 ** (header - 1)
        header += 1
        if (length > limits.packet || header > 5) return -1
        if (!((chunk[at] as number) & 128)) {
          left = length
          header = 0
          if (left === 0) whole += 1
        }
      }
      bytes -= 1
      at += 1
    }
    return at
  }

  function refill(): void {
    const now = performance.now()
    const seconds = Math.max(0, now - filledAt) / 1000
    filledAt = now
    packets = Math.min(limits.packetBurst, packets + seconds * limits.packets)
    bytes = Math.min(limits.byteBurst, bytes + seconds * limits.bytes)
  }

  const unread = () => socket.writableLength + duplex.writableLength
  function end(why: Cut): void {
    if (duplex.destroyed) return
    cut(why)
    duplex.destroy()
  }

  function go(): void {
    clearTimeout(timer)
    timer = undefined
    if (!held || !room || duplex.destroyed) return
    const deaf = unread() > limits.unread / 4
    refill()
    const size = deaf ? 0 : admitted(held)
    if (size < 0) return end('frame')
    if (whole > 0) spoke()
    const part = held.subarray(0, size)
    held = size < held.length ? held.subarray(size) : undefined
    if (part.length) room = duplex.push(part)
    if (held) {
      heldSince ||= performance.now()
      if (performance.now() - heldSince > limits.heldMs) return end(deaf ? 'slow' : 'flood')
      timer ??= setTimeout(go, stepMs)
    } else {
      heldSince = 0
      if (room) socket.resume()
    }
  }

  const duplex = new Duplex({
    read() {
      room = true
      if (held) timer ??= setTimeout(go, 0)
      else socket.resume()
    },
    write: (chunk: Buffer, _, done) => pass(chunk, done),
    // a packet comes in parts, and each write costs as much as all of them
    writev: (parts, done) => pass(Buffer.concat(parts.map(({ chunk }) => chunk as Buffer)), done),
    final(done) {
      socket.end(done)
    },
    destroy(error, done) {
      clearTimeout(timer)
      held = undefined
      socket.destroy()
      release()
      done(error)
    },
  })
  function pass(chunk: Buffer, done: () => void): void {
    if (unread() > limits.unread) {
      end('slow')
      return done()
    }
    if (socket.write(chunk)) done()
    else waiting = done
  }
  function release(): void {
    const done = waiting
    waiting = undefined
    done?.()
  }
  socket.on('drain', release)
  socket.on('data', (chunk: Buffer) => {
    if (duplex.destroyed) return
    socket.pause()
    held = held ? Buffer.concat([held, chunk]) : chunk
    if (!timer) go()
  })
  socket.on('end', () => duplex.push(null))
  socket.on('error', () => duplex.destroy())
  socket.on('close', () => duplex.destroy())
  return duplex
}

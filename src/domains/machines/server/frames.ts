import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * A socket whose MQTT packets are at most `max` bytes. The broker's parser would gather up to 256 MB of one packet
 * before anybody could refuse it, so lengths are read here and a longer one ends the connection.
 */
export function boundedFrames(socket: Socket, max: number, tooLong: () => void): Duplex {
  let left = 0
  let header = 0
  let length = 0
  const fits = (chunk: Buffer): boolean => {
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const step = Math.min(left, chunk.length - at)
        left -= step
        at += step
        continue
      }
      const byte = chunk[at] as number
      at += 1
      if (header === 0) {
        header = 1
        length = 0
        continue
      }
      length += (byte & 127) * 128 ** (header - 1)
      header += 1
      if (length > max || header > 5) return false
      if (byte & 128) continue
      left = length
      header = 0
    }
    return true
  }
  const duplex = new Duplex({
    read: () => void socket.resume(),
    write(chunk: Buffer, _, done) {
      if (socket.write(chunk)) done()
      else waiting = done
    },
    final(done) {
      socket.end(done)
    },
    destroy(error, done) {
      socket.destroy()
      release()
      done(error)
    },
  })
  let waiting: (() => void) | undefined
  function release(): void {
    const done = waiting
    waiting = undefined
    done?.()
  }
  socket.on('drain', release)
  socket.on('data', (chunk: Buffer) => {
    if (duplex.destroyed) return
    if (!fits(chunk)) {
      tooLong()
      duplex.destroy()
    } else if (!duplex.push(chunk)) socket.pause()
  })
  socket.on('end', () => duplex.push(null))
  socket.on('error', () => duplex.destroy())
  socket.on('close', () => duplex.destroy())
  return duplex
}

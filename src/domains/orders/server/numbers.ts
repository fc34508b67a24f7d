import { hash } from 'node:crypto'
import { perApp } from '../../../server/perApp.ts'
import { keyFor } from '../../../server/secretBox.ts'
import { orderNumber } from '../../../shared/ids.ts'

/**
 * A number says its day, and nothing of how many orders there are: a buyer sees his own, and two of
 * them would tell what the whole platform sells. So the sequence is shuffled within its day, by a
 * key of this installation; no two become one.
 */
export const numbersOf = perApp(({ config }) => {
  const key = keyFor(config, 'order-numbers')
  return (day: string, sequence: number): string => orderNumber(day, shuffled(key, day, sequence))
})

const half = 1_000_000
const rounds = 8

/**
 * HMAC-SHA256 in two plain hashes: an object for each of eight rounds costs more than all of them.
 */
function keyed(key: Buffer): (text: string) => Buffer {
  const pad = (byte: number) =>
    Buffer.from(Array.from({ length: 64 }, (_, n) => (key[n] ?? 0) ^ byte))
  const [inner, outer] = [pad(0x36), pad(0x5c)]
  return (text) =>
    hash(
      'sha256',
      Buffer.concat([outer, hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer')]),
      'buffer',
    )
}

/** Twelve digits to twelve digits, one to one: a Feistel network over two halves of six. */
export function shuffled(key: Buffer, day: string, sequence: number): number {
  const turned = keyed(key)
  let [left, right] = [Math.floor(sequence / half), sequence % half]
  for (let round = 0; round < rounds; round += 1) {
    const turn = turned(`${day} ${round} ${right}`).readUIntBE(0, 6)
    ;[left, right] = [right, (left + turn) % half]
  }
  return left * half + right
}

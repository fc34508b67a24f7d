import { createHmac } from 'node:crypto'
import { perApp } from '../../../server/perApp.ts'
import { keyFor } from '../../../server/secretBox.ts'
import { orderNumber } from '../../../shared/ids.ts'

/**
 * A number says its day, and nothing of how many orders there are: a buyer sees his own, and two of them would tell what the whole
 * platform sells. So the sequence is shuffled within its day, by a key of this installation; no two become one.
 */
export const numbersOf = perApp(({ config }) => {
  const key = keyFor(config, 'order-numbers')
  return (day: string, sequence: number): string => orderNumber(day, shuffled(key, day, sequence))
})

const half = 1_000_000
const rounds = 8

/** Twelve digits to twelve digits, one to one: a Feistel network over two halves of six. */
export function shuffled(key: Buffer, day: string, sequence: number): number {
  let [left, right] = [Math.floor(sequence / half), sequence % half]
  for (let round = 0; round < rounds; round += 1) {
    const turn = createHmac('sha256', key).update(`${day} ${round} ${right}`).digest().readUIntBE(0, 6)
    ;[left, right] = [right, (left + turn) % half]
  }
  return left * half + right
}

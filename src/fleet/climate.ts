import type { Random } from '../seed/random.ts'

type Measured = { temperature: number; humidity: number; rsrp: number }
export type Climate = {
  readonly rsrp: number
  measure(limits: { tempMin: number | null; tempMax: number | null } | null): Measured
}

/**
 * What the sensors of a machine say: the cooling keeps what the settings ask for; without it a
 * machine is as warm as its room.
 */
export function openClimate(random: Random): Climate {
  let temperature = 4 + random.next() * 3
  let humidity = 40 + random.next() * 20
  let rsrp = -70 - random.int(0, 35)
  return {
    get rsrp() {
      return rsrp
    },
    measure(limits) {
      const { tempMin, tempMax } = limits ?? { tempMin: 2, tempMax: 8 }
      const [low, high] =
        tempMin === null || tempMax === null
          ? [20, 27]
          : [Math.min(tempMin + 1, tempMax), Math.max(tempMax - 1, tempMin)]
      temperature = Math.min(
        Math.max(low, high),
        Math.max(Math.min(low, high), temperature + random.next() - 0.5),
      )
      humidity = Math.min(75, Math.max(30, humidity + random.next() * 4 - 2))
      rsrp = Math.min(-62, Math.max(-112, rsrp + random.int(-3, 3)))
      return {
        temperature: Math.round(temperature * 10) / 10,
        humidity: Math.round(humidity * 10) / 10,
        rsrp,
      }
    },
  }
}

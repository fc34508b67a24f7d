import { createRandom } from './random.ts'
import type { DemoDevice, Site } from './types.ts'

export const DEMO_DAYS = 60

// Sales by hour 0..23 on a working day, relative within the row.
const WORKDAY: Readonly<Record<Site, readonly number[]>> = {
  office: [0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.6, 2, 7, 8, 7, 7, 9, 8, 7, 9, 8, 6, 5, 4, 3, 2, 1, 0.5],
  metro: [0.2, 0.1, 0, 0, 0, 0.5, 4, 9, 10, 6, 4, 4, 5, 4, 4, 4, 5, 8, 10, 8, 5, 4, 3, 1],
  hospital: [1, 0.8, 0.6, 0.5, 0.6, 1, 3, 6, 8, 9, 8, 7, 7, 5, 6, 6, 5, 4, 4, 4, 3, 3, 2, 1.5],
  school: [0.2, 0, 0, 0, 0, 0.1, 1, 4, 3, 6, 5, 8, 9, 4, 4, 6, 7, 8, 7, 5, 7, 9, 4, 1],
  mall: [0.2, 0.1, 0, 0, 0, 0, 0.1, 0.3, 1, 3, 5, 6, 7, 8, 9, 9, 9, 8, 8, 9, 9, 7, 3, 1],
  residential: [1.5, 1, 0.5, 0.3, 0.3, 0.5, 2, 5, 4, 3, 3, 4, 4, 3, 3, 3, 4, 6, 8, 9, 9, 8, 6, 3],
  factory: [3, 2, 2, 1, 1, 1, 3, 8, 5, 4, 5, 8, 9, 4, 4, 5, 4, 7, 8, 6, 5, 5, 5, 4],
  airport: [1.5, 1, 0.8, 0.8, 1, 2.5, 5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 5, 5, 4, 3],
}

// At weekends people come later; places that never close keep their shape.
const SHIFTED: ReadonlySet<Site> = new Set(['office', 'metro', 'school', 'residential'])

// Saturday and Sunday against a working day.
const WEEKEND: Readonly<Record<Site, number>> = {
  office: 0.25,
  metro: 0.85,
  hospital: 0.75,
  school: 0.55,
  mall: 1.55,
  residential: 1.2,
  factory: 0.7,
  airport: 1.15,
}

const isWeekend = (weekday: number): boolean => weekday === 0 || weekday === 6

function hourWeights(site: Site, weekday: number): readonly number[] {
  const row = WORKDAY[site]
  if (!isWeekend(weekday) || !SHIFTED.has(site)) return row
  return row.map((weight, hour) => weight * 0.4 + (row[(hour + 22) % 24] ?? 0) * 0.6)
}

/**
 * Share of a day's sales that falls into an hour; the 24 hours of a day add up to 1. Sunday is 0.
 */
export function rhythm(site: Site, hour: number, weekday: number): number {
  const weights = hourWeights(site, weekday)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return (weights[hour] ?? 0) / sum
}

const ORDERS_PER_DAY = 7.1
// A paused machine sold until it was taken off sale, the sold one until it was handed over.
const LAST_DAY_OF_PAUSED = 47
const LAST_DAY_OF_SOLD = 21

function sellsOn(device: DemoDevice, dayIndex: number): boolean {
  switch (device.lifecycle) {
    case 'OPERATING':
      return true
    case 'PAUSED':
      return dayIndex <= LAST_DAY_OF_PAUSED
    case 'SOLD':
      return dayIndex <= LAST_DAY_OF_SOLD
    case 'STOCK':
    case 'SCRAPPED':
      return false
  }
}

// Drug and flower machines sell few, dear pieces.
function kindFactor(device: DemoDevice): number {
  if (device.kind === 'DRUG') return 0.55
  return device.kind === 'FLOWER' ? 0.45 : 1
}

/**
 * Expected orders of a machine on a day, 0 = the oldest of the 60 days. The caller who knows the
 * calendar passes the weekday (Sunday 0); without it, day 0 counts as a Sunday.
 */
export function dailyOrders(device: DemoDevice, dayIndex: number, weekday = dayIndex % 7): number {
  if (!sellsOn(device, dayIndex)) return 0
  const week = isWeekend(weekday) ? WEEKEND[device.site] : weekday === 5 ? 1.08 : 1
  const growth = 0.94 + (0.12 * dayIndex) / DEMO_DAYS
  const noise = 0.8 + 0.4 * createRandom(`${device.rtuNumber}/${dayIndex}`).next()
  return ORDERS_PER_DAY * device.popularity * kindFactor(device) * week * growth * noise
}

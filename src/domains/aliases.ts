import { deviceAliases } from './aliases/devices.ts'
import { laneAliases } from './aliases/lanes.ts'
import { orderAliases } from './aliases/orders.ts'
import { peopleAliases } from './aliases/people.ts'
import { productAliases } from './aliases/products.ts'
import type { Alias } from './aliases/route.ts'

/** Paths of the specification's sample server, one line per group. */
export const aliases: readonly Alias[] = [...deviceAliases, ...laneAliases, ...orderAliases, ...peopleAliases, ...productAliases]

import { z } from 'zod'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

/** Shapes that several contracts of the lanes share. */

export const road = z.number().int()
/** Lanes that stay as they are, and why. */
export const skipped = z.array(z.strictObject({ road, reason: z.string() }))
/** Version of the planogram a screen was loaded with; 0 before the first lanes. */
export const planogram = z.number().int().min(0).max(2_147_483_647)

export const noneChosen = bi('请选择货道', 'Choose lanes')
export const laneIds = f.ids(noneChosen).min(1, noneChosen).max(400)
/** A whole number within bounds, or this text; one that was left empty may have its own. */
export const whole = (text: string, min: number, max: number, missing = text) =>
  z
    .number({ error: ({ input }) => (input === undefined || input === null ? missing : text) })
    .int(text)
    .min(min, text)
    .max(max, text)

import type { z } from 'zod'
import { baseType } from '../shared/contract.ts'
import type { Tone } from './StatusTag.tsx'

/** What a contract says about one field, for columns, filters and forms. `unit` and `tones` are zod meta of the contract. */
export type FieldInfo = {
  readonly kind: 'enum' | 'number' | 'boolean' | 'text' | 'array' | 'other'
  readonly unit: string | undefined
  readonly tones: Readonly<Record<string, Tone>> | undefined
  readonly values: readonly string[]
  readonly max: number | undefined
}

export function fieldInfo(type: z.ZodType | undefined): FieldInfo {
  if (!type) return { kind: 'other', unit: undefined, tones: undefined, values: [], max: undefined }
  const base = baseType(type)
  const meta: Record<string, unknown> = { ...base.meta(), ...type.meta() }
  const def = base.def as { type: string }
  const shape = base as z.ZodType & {
    options?: unknown
    maxLength?: number | null
    maxValue?: number | null
  }
  const kinds: Record<string, FieldInfo['kind']> = {
    enum: 'enum',
    number: 'number',
    boolean: 'boolean',
    string: 'text',
    array: 'array',
  }
  return {
    kind: kinds[def.type] ?? 'other',
    unit: typeof meta.unit === 'string' ? meta.unit : undefined,
    tones:
      typeof meta.tones === 'object' && meta.tones !== null
        ? (meta.tones as Record<string, Tone>)
        : undefined,
    values:
      def.type === 'enum' && Array.isArray(shape.options)
        ? shape.options.filter((value) => typeof value === 'string')
        : [],
    max: def.type === 'string' ? (shape.maxLength ?? undefined) : undefined,
  }
}

/** Required means: neither nothing nor empty text is accepted. */
export const isRequired = (type: z.ZodType | undefined): boolean =>
  type !== undefined && [undefined, null, ''].every((nothing) => !type.safeParse(nothing).success)

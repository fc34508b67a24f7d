import { type ComponentType, createElement, use } from 'react'

type Real = typeof import('./fieldsReal.tsx')
let loading: Promise<Real> | undefined

/**
 * A list whose dialog holds fields does not pay for them before the dialog opens; FormPage and
 * FormDialog bring them along.
 */
function loaded(): Promise<Real> {
  loading ??= import('./fieldsReal.tsx').catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

/** The field of that name, suspended until the fields are there. */
function part<K extends keyof Real>(name: K): Real[K] {
  return ((props: object) =>
    createElement(use(loaded())[name] as ComponentType<object>, props)) as Real[K]
}

export const Field = part('Field')
export const TextField = part('TextField')
export const TextAreaField = part('TextAreaField')
export const NumberField = part('NumberField')
export const MoneyField = part('MoneyField')
export const SelectField = part('SelectField')
export const RadioField = part('RadioField')
export const SwitchField = part('SwitchField')
export const DayField = part('DayField')
export const ImageField = part('ImageField')
export const Fixed = part('Fixed')
export const Note = part('Note')

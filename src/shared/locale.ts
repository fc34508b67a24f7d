/**
 * Texts of one domain, zh-CN and en side by side; en is typed against zh so that no key can be
 * missing.
 */
export type Texts = { readonly [key: string]: string | Texts }
type Same<T> = { readonly [K in keyof T]: T[K] extends string ? string : Same<T[K]> }
export type Locale<T extends Texts = Texts> = { readonly zh: T; readonly en: Same<T> }
export const defineLocale = <const T extends Texts>(zh: T, en: Same<T>): Locale<T> =>
  ({ zh, en }) as Locale<T>

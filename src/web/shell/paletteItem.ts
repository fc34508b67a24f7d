/** A line of the Ctrl K palette. */
export type PaletteItem = {
  readonly key: string
  readonly title: string
  readonly hint: string
  readonly to: string
  readonly icon: string
}

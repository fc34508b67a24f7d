/** A filter somebody gave a name; kept with his preferences. */
export type SavedView = { readonly name: string; readonly query: Readonly<Record<string, unknown>> }

/** Preferences may come from an older build: anything else is ignored. */
export const readSaved = (found: unknown): readonly SavedView[] =>
  Array.isArray(found)
    ? found.filter(
        (view): view is SavedView =>
          typeof view === 'object' &&
          view !== null &&
          typeof (view as SavedView).name === 'string' &&
          typeof (view as SavedView).query === 'object' &&
          (view as SavedView).query !== null,
      )
    : []

/**
 * Something said that is as it should be, or is not; `place` is where it stands among what the
 * machine says.
 */
export type Word = { readonly place: string; readonly at: Date; readonly fine: boolean }
/**
 * What is kept of all words before: the newest place, the newest place of a fine word, and since
 * when it is not fine.
 */
export type Span = {
  readonly place: string
  readonly finePlace: string
  readonly fine: boolean
  readonly since: Date | null
}

/**
 * Since when something is not fine without a break, whatever order the words come in; while it is
 * fine, when that was last said. A fine word that comes late breaks the time off at its receipt:
 * what was said between is not kept.
 */
export function spanAfter(before: Span, words: readonly Word[]): Omit<Span, 'fine'> {
  const newest = words.reduce<Word | null>(
    (top, word) => (word.place > (top?.place ?? before.place) ? word : top),
    null,
  )
  const lastFine = words.reduce<Word | null>(
    (top, word) => (word.fine && word.place > (top?.place ?? before.finePlace) ? word : top),
    null,
  )
  const place = newest?.place ?? before.place
  const finePlace = lastFine?.place ?? before.finePlace
  if (newest?.fine) return { place, finePlace, since: newest.at }
  // it was fine and still is: a late word changes nothing
  if (!newest && before.fine) return { place, finePlace, since: before.since }
  if (!lastFine && !before.fine && before.since) return { place, finePlace, since: before.since }
  const times = words
    .filter((word) => !word.fine && word.place > finePlace)
    .map((word) => word.at.getTime())
  return {
    place,
    finePlace,
    since: times.length ? new Date(Math.min(...times)) : (lastFine?.at ?? before.since),
  }
}

export type Range = { readonly low: number | null; readonly high: number | null }
export const isWithin = ({ low, high }: Range, temperature: number | null): boolean =>
  temperature === null ||
  low === null ||
  high === null ||
  (temperature >= low && temperature <= high)

import { say } from '../../../shared/text.ts'
import { formatCount } from '../../../web/Money.tsx'
import { prefs } from '../../../web/prefs.ts'
import { laneError } from '../errors.ts'

/** A difference with its sign; nothing differs without one. */
export const signed = (count: number): string =>
  count > 0 ? `+${formatCount(count)}` : formatCount(count)

/** Why a lane was not posted, in the reader's language. */
export const whyNot = (error: string): string => say(laneError(error).text, prefs().lang)

import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { formatCount } from '../../../web/Money.tsx'
import { prefs } from '../../../web/prefs.ts'
import { laneError } from '../errors.ts'

/** A difference with its sign; nothing differs without one. */
export const signed = (count: number): string =>
  count > 0 ? `+${formatCount(count)}` : formatCount(count)

/** Why a lane was not posted, in the reader's language. */
export const whyNot = (error: string): string => say(laneError(error).text, prefs().lang)

/** Opens the map that the device has for it. */
export const mapOf = ({
  lng,
  lat,
  nickname,
}: {
  lng: number | null
  lat: number | null
  nickname: string
}) => `https://uri.amap.com/marker?position=${lng},${lat}&name=${encodeURIComponent(nickname)}`

const hour = 3_600_000
/** When something will be gone, in words. */
export function useSoon(): (at: string | null) => string {
  const { t } = useTranslation('replenishment')
  return (at) => {
    if (at === null) return t('unknown')
    const left = (Date.parse(at) - Date.now()) / hour
    if (left <= 0) return t('soon')
    return left < 48 ? t('hours', { n: Math.ceil(left) }) : t('days', { n: Math.floor(left / 24) })
  }
}

import { useTranslation } from 'react-i18next'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import type { Sync, syncStates } from '../contract.ts'

const tones: Record<(typeof syncStates)[number], Tone> = {
  PENDING: 'locked',
  DELIVERED: 'paid',
  APPLIED: 'success',
  REFUSED: 'fault',
}

/** How far a version has come; a machine that refused says why. */
export function SyncTag({
  sync,
  chip = false,
}: {
  sync: Pick<Sync, 'wanted' | 'state' | 'reason'>
  chip?: boolean
}) {
  const { t } = useTranslation('deviceSettings')
  const reason = sync.state === 'REFUSED' && sync.reason ? ` · ${sync.reason}` : ''
  return (
    <StatusTag
      tone={tones[sync.state]}
      chip={chip}
      note={sync.wanted > 0 ? `v${sync.wanted}` : null}
    >
      {t(`enums.state.${sync.state}`)}
      {reason}
    </StatusTag>
  )
}

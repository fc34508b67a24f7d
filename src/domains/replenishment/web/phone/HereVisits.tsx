import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { save } from '../../../../web/download.ts'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { useUser } from '../../../../web/session.ts'
import { Time } from '../../../../web/Time.tsx'
import { toast } from '../../../../web/toast.ts'
import { Muted } from '../../../../web/ui/Text.tsx'
import { openDb } from './db.ts'
import styles from './phone.module.css'
import { SyncChip } from './SyncChip.tsx'
import { exported, isUnsent, type PhoneVisit, useStored, visitsOf, wipe } from './store.ts'

const tones: Readonly<Record<PhoneVisit['state'], Tone>> = {
  OPEN: 'shipped',
  SUBMITTED: 'warn',
  DONE: 'success',
  REFUSED: 'fault',
}

/** Visits of this phone that are not done: they open without the network. */
export function HereVisits({ centre }: { centre: boolean }) {
  const { t } = useTranslation('replenishment')
  const navigate = useNavigate()
  const { id } = useUser()
  const found = useStored(visitsOf)
  // the centre tells of the last seven days
  const left = (found ?? []).filter(
    (visit) => centre || isUnsent(visit) || visit.state === 'REFUSED',
  )
  const unsent = left.some(isUnsent)
  if (!left.length && !centre) return null
  const empty = async () => {
    if (await wipe(id)) location.reload()
    else toast('error', t('phone.unsentAsk'))
  }
  const toFile = async () => {
    const name = `huodao-${new Date().toISOString().slice(0, 16).replace(/\D/g, '')}.json`
    save(await exported(await openDb(id)), name)
  }
  return (
    <section className={`hd-sheet ${styles.here}`} aria-label={t('phone.here')}>
      <header>
        <h2>{t('phone.here')}</h2>
        <SyncChip />
      </header>
      <ul>
        {left.map((visit) => (
          <li key={visit.clientId}>
            <span>
              <span>
                {visit.rtuNumber} <Muted small>{visit.nickname}</Muted>
              </span>
              <Muted small>
                <StatusTag tone={tones[visit.state]}>{t(`phone.states.${visit.state}`)}</StatusTag>{' '}
                <Time at={visit.startedAt} />
              </Muted>
            </span>
            <Button
              size="large"
              onClick={() => void navigate(`/stock/replenish/visit/${visit.clientId}`)}
            >
              {t(visit.state === 'OPEN' ? 'phone.goOn' : 'phone.look')}
            </Button>
          </li>
        ))}
      </ul>
      {unsent ? null : <Muted>{t('phone.allSent')}</Muted>}
      {/* the last resort of a phone that never comes to a network again */}
      {unsent ? (
        <Button type="link" size="large" onClick={() => void toFile()}>
          {t('phone.toFile')}
        </Button>
      ) : null}
      {centre ? (
        <Button type="link" size="large" danger onClick={() => void empty()}>
          {t('phone.empty')}
        </Button>
      ) : null}
    </section>
  )
}

import { Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../../web/api.ts'
import { lanes, type Planogram } from '../../contract.ts'
import { floorName } from '../../rules.ts'
import styles from './lanes.module.css'

/** Number and name of a level; whoever may edit renames it in place. */
export function LevelName({
  plan,
  floor,
}: {
  plan: Planogram
  floor: Planogram['floors'][number]
}) {
  const { t } = useTranslation('lanes')
  const [typed, setTyped] = useState<string | null>(null)
  const write = useWrite(lanes.update, { success: 'web:success.saved' })
  const plain = floor.name === floorName(floor.level)
  const save = () => {
    const name = typed?.trim() ?? floor.name
    setTyped(null)
    if (name !== (plain ? '' : floor.name))
      write.mutate({
        deviceId: plan.device.id,
        version: plan.version,
        floors: [{ id: floor.id, name }],
      })
  }
  const label = t('levels.rename', { n: floor.level })
  return (
    <div className={styles.level}>
      <strong>{t('short.level', { n: floor.level })}</strong>
      {typed === null ? (
        plan.can.update ? (
          <button
            type="button"
            title={label}
            aria-label={`${label}: ${plain ? t('levels.name') : floor.name}`}
            onClick={() => setTyped(plain ? '' : floor.name)}
          >
            {plain ? <span className={styles.unnamed}>{t('levels.name')}</span> : floor.name}
          </button>
        ) : plain ? null : (
          <span>{floor.name}</span>
        )
      ) : (
        <Input
          autoFocus
          size="small"
          maxLength={20}
          aria-label={label}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            event.stopPropagation()
            if (event.key === 'Enter') save()
            if (event.key === 'Escape') setTyped(null)
          }}
        />
      )}
    </div>
  )
}

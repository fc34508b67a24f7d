import HistoryOutlined from '@ant-design/icons/es/icons/HistoryOutlined'
import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import UndoOutlined from '@ant-design/icons/es/icons/UndoOutlined'
import UnlockOutlined from '@ant-design/icons/es/icons/UnlockOutlined'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useConfirm } from '../../../web/confirm.tsx'
import { Mark } from '../../../web/StatusTag.tsx'
import { fullTime } from '../../../web/time.ts'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import type { SettingRow } from '../contract.ts'
import { settingOfKey } from '../registry.ts'
import { SettingField } from './SettingField.tsx'
import styles from './settings.module.css'
import { type Draft, problemOf } from './useDrafts.ts'
import { useWords } from './useWords.ts'

type Props = {
  row: SettingRow
  draft: Draft | undefined
  ofPlatform: boolean
  onEdit: (change: Draft) => void
  onReset: () => void
  onHistory: () => void
}

/**
 * One setting: what it is, its value where it can be changed at once, where the value comes from,
 * and its lock.
 */
export function SettingLine({ row, draft, ofPlatform, onEdit, onReset, onHistory }: Props) {
  const { t } = useTranslation('settings')
  const words = useWords()
  const confirm = useConfirm()
  const setting = settingOfKey(row.key)
  const name = words.nameOf(row.key)
  const value = draft && 'value' in draft ? draft.value : row.value
  const locked = draft?.locked ?? row.locked
  const problem = problemOf(row.key, draft)
  const toggleLock = async () => {
    if (locked || (await confirm({ title: t('lockAsk', { n: row.below }) })))
      onEdit({ locked: !locked })
  }
  return (
    <li className={styles.line} data-changed={draft !== undefined}>
      <div className={styles.what}>
        <strong>{name}</strong>
        <small>{words.text(setting.help)}</small>
      </div>
      <div className={styles.value}>
        {row.can.update ? (
          <SettingField
            label={name}
            form={setting.form}
            value={value}
            wrong={problem !== null}
            onChange={(next) => onEdit({ value: next })}
          />
        ) : (
          <span className={styles.plain}>{words.valueOf(setting.form, value)}</span>
        )}
        <small
          className={problem === null ? undefined : styles.wrong}
          role={problem === null ? undefined : 'alert'}
        >
          {problem === null
            ? row.can.update
              ? words.rangeOf(setting.form)
              : null
            : words.text(problem)}
        </small>
      </div>
      <div className={styles.source}>
        <Source row={row} level={setting.level} ofPlatform={ofPlatform} locked={locked} />
        <small>{changedText()}</small>
      </div>
      <div className={styles.acts}>
        {row.can.lock ? (
          <Act
            label={locked ? t('unlock') : t('lock')}
            icon={locked ? <LockOutlined /> : <UnlockOutlined />}
            onClick={() => void toggleLock()}
          />
        ) : null}
        {row.can.reset ? (
          <Act label={t('inherit')} icon={<UndoOutlined />} onClick={onReset} />
        ) : null}
        <Act label={t('history')} icon={<HistoryOutlined />} onClick={onHistory} />
      </div>
    </li>
  )

  function changedText(): string {
    if (!row.updatedAt) return ''
    const time = fullTime(new Date(row.updatedAt)).slice(0, 16)
    return row.updatedBy ? t('changedBy', { name: row.updatedBy, time }) : t('changedAt', { time })
  }
}

function Source({
  row,
  level,
  ofPlatform,
  locked,
}: {
  row: SettingRow
  level: 'platform' | 'org'
  ofPlatform: boolean
  locked: boolean
}) {
  const { t } = useTranslation('settings')
  const from = row.from ? t('source.INHERITED', { org: row.from.name }) : t(`source.${row.source}`)
  if (row.lockedBy || locked)
    return (
      <span className={styles.mark}>
        <Mark tone="locked" />{' '}
        {row.lockedBy ? t('lockedBy', { org: row.lockedBy.name }) : t('lockedHere')}
      </span>
    )
  return (
    <span className={row.source === 'OWN' ? styles.own : styles.mark}>
      {level === 'platform' && !ofPlatform ? t('platformOnly') : from}
    </span>
  )
}

function Act({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <Tooltip title={label}>
      <Button type="text" aria-label={label} icon={icon} onClick={onClick} />
    </Tooltip>
  )
}

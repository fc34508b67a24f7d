import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { Button, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import styles from './devices.module.css'
import type { SavedView } from './savedViews.ts'

type Props = {
  saved: readonly SavedView[]
  query: SavedView['query']
  onSave: (views: readonly SavedView[]) => void
  onClose: () => void
}

/** Names the filter of now; a name that is there already is written over. */
export function SavedViews({ saved, query, onSave, onClose }: Props) {
  const { t } = useTranslation(['devices', 'web'])
  const [name, setName] = useState('')
  const active = useActiveTab()
  if (!active) return null
  const wanted = name.trim()
  const empty = Object.keys(query).length === 0
  const keep = () => {
    onSave([...saved.filter((view) => view.name !== wanted), { name: wanted, query }].slice(-12))
    onClose()
  }
  return (
    <Modal open width={416} title={t('saved.title')} onCancel={onClose} footer={null}>
      <div className={styles.saved}>
        <Input
          autoFocus
          value={name}
          maxLength={12}
          disabled={empty}
          aria-label={t('saved.name')}
          placeholder={t(empty ? 'saved.nothing' : 'saved.name')}
          onChange={(event) => setName(event.target.value)}
          onPressEnter={() => wanted && keep()}
        />
        <Button type="primary" disabled={empty || wanted === ''} onClick={keep}>
          {t('web:action.save')}
        </Button>
      </div>
      <ul className={styles.savedList}>
        {saved.map((view) => (
          <li key={view.name}>
            <span>{view.name}</span>
            <Button
              type="text"
              size="small"
              icon={<DeleteOutlined />}
              aria-label={`${t('web:action.remove')} ${view.name}`}
              onClick={() => onSave(saved.filter((other) => other.name !== view.name))}
            />
          </li>
        ))}
      </ul>
    </Modal>
  )
}

import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { Button, Flex, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Lines } from '../../../../web/ui/Sheet.tsx'
import { Tooltip } from '../../../../web/ui/Tooltip.tsx'

/** A filter somebody gave a name; kept with his preferences. */
export type SavedView = { readonly name: string; readonly query: Readonly<Record<string, unknown>> }
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
      <Flex gap={8}>
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
        <Tooltip title={empty ? t('saved.nothing') : null}>
          <span>
            <Button type="primary" disabled={empty || wanted === ''} onClick={keep}>
              {t('web:action.save')}
            </Button>
          </span>
        </Tooltip>
      </Flex>
      <Lines columns="1fr auto">
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
      </Lines>
    </Modal>
  )
}

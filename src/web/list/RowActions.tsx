import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { Dropdown } from '../ui/popup.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import styles from './List.module.css'
import { textWidth } from './textWidth.ts'
import type { RowAction } from './types.ts'

/** Which actions stand in the row and which behind "more". */
function split(actions: readonly RowAction[]): { direct: RowAction[]; rest: RowAction[] } {
  const allowed = actions.filter((action) => action.can !== false)
  const safe = allowed.filter((action) => !action.danger)
  const direct = safe.slice(0, safe.length === 3 && allowed.length === 3 ? 3 : 2)
  return { direct, rest: allowed.filter((action) => !direct.includes(action)) }
}

/** Width of the column that holds them, in pixels. */
export function actionsWidth(actions: readonly RowAction[], more: string): number {
  const { direct, rest } = split(actions)
  const words = [...direct.map((action) => action.label), ...(rest.length > 0 ? [more] : [])]
  return words.reduce((sum, word) => sum + textWidth(word) + 12, 24)
}

/** At most two words, then "more". A danger verb never stands in the row itself. */
export function RowActions({ actions }: { actions: readonly RowAction[] }) {
  const { t } = useTranslation('web')
  const navigate = useNavigate()
  const { direct, rest } = split(actions)
  // on a phone's card an empty row of them would be a band of nothing
  if (direct.length === 0 && rest.length === 0) return null
  const run = (action: RowAction) => (action.to ? navigate(action.to) : action.onClick?.())
  return (
    <span className={styles.actions}>
      {direct.map((action) => (
        <ActionLink key={action.key} action={action} onRun={() => run(action)} />
      ))}
      {rest.length > 0 ? (
        <Dropdown
          trigger={['click']}
          placement="bottomRight"
          menu={{
            items: rest.map((action) => ({
              key: action.key,
              label: action.disabled ? (
                <Tooltip placement="left" title={action.disabled}>
                  {action.label}
                </Tooltip>
              ) : (
                action.label
              ),
              danger: action.danger ?? false,
              disabled: action.disabled !== undefined,
            })),
            onClick: ({ key }) => {
              const found = rest.find((action) => action.key === key)
              if (found) run(found)
            },
          }}
        >
          <button type="button" className={styles.link}>
            {t('action.more')}
          </button>
        </Dropdown>
      ) : null}
    </span>
  )
}

function ActionLink({ action, onRun }: { action: RowAction; onRun: () => void }): ReactNode {
  if (action.disabled !== undefined)
    return (
      <Tooltip title={action.disabled}>
        <button type="button" className={styles.link} aria-disabled="true">
          {action.label}
        </button>
      </Tooltip>
    )
  if (action.to)
    return (
      <Link className={styles.link ?? ''} to={action.to}>
        {action.label}
      </Link>
    )
  return (
    <button type="button" className={styles.link} onClick={onRun}>
      {action.label}
    </button>
  )
}

import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Lead } from '../../../web/ui/Text.tsx'
import styles from './roles.module.css'
import type { useCatalogue } from './useCatalogue.ts'

type Props = {
  id?: string
  value?: readonly string[]
  onChange?: (value: string[]) => void
  catalogue: ReturnType<typeof useCatalogue>
  permissions: readonly string[]
  disabled: boolean
}

/**
 * Pages whose read is ticked, by group. A page that comes in is ticked, one whose read goes leaves.
 */
export function MenuPicker({ id, value = [], onChange, catalogue, permissions, disabled }: Props) {
  const { t } = useTranslation(['roles', 'web'])
  const { data, say } = catalogue
  const held = useMemo(() => new Set(permissions), [permissions])
  const open = useMemo(
    () =>
      (data?.menus ?? []).filter((page) => page.permission !== null && held.has(page.permission)),
    [data, held],
  )
  const before = useRef<ReadonlySet<string> | null>(null)
  const current = useRef({ value, onChange })
  current.current = { value, onChange }
  useEffect(() => {
    if (!data) return
    const now = new Set(open.map((page) => page.path))
    const known = before.current
    before.current = now
    // the first list is what was stored; later ones follow the ticks above
    if (known === null) return
    const kept = current.current.value.filter((path) => now.has(path))
    const fresh = [...now].filter((path) => !known.has(path) && !kept.includes(path))
    if (fresh.length || kept.length !== current.current.value.length)
      current.current.onChange?.([...kept, ...fresh])
  }, [data, open])
  const chosen = new Set(value)
  const set = (paths: readonly string[], on: boolean) =>
    onChange?.(
      on ? [...new Set([...value, ...paths])] : value.filter((path) => !paths.includes(path)),
    )
  const groups = Map.groupBy(open, (page) => page.group)
  return (
    <div id={id} className={styles.picker} tabIndex={-1}>
      {open.length ? null : <Lead>{t('form.noMenus')}</Lead>}
      {[...groups].map(([group, pages]) => (
        <div key={group} className={styles.resource}>
          <strong>{pages[0] ? say({ zh: pages[0].groupZh, en: pages[0].groupEn }) : group}</strong>
          <div className={styles.codes}>
            {pages.map((page) => (
              <label key={page.path} title={page.hidden ? t('form.hidden') : page.path}>
                <input
                  type="checkbox"
                  checked={chosen.has(page.path)}
                  disabled={disabled}
                  onChange={(event) => set([page.path], event.target.checked)}
                />
                {say(page)}
                {page.hidden ? <small>{t('menu.hiddenYes')}</small> : null}
              </label>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import { memo, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import type { Catalogue } from '../contract.ts'
import styles from './roles.module.css'
import { SearchBar } from './SearchBar.tsx'
import { toggled } from './ticks.ts'
import type { useCatalogue } from './useCatalogue.ts'

type Group = Catalogue['groups'][number]
type Props = {
  id?: string
  value?: readonly string[]
  onChange?: (value: string[]) => void
  catalogue: ReturnType<typeof useCatalogue>
  disabled: boolean
}

/**
 * The whole catalogue, group by group. Native boxes and one memoised block per group: a tick draws
 * one block of some twenty again, not four hundred and fifty boxes.
 */
export function PermissionPicker({ id, value = [], onChange, catalogue, disabled }: Props) {
  const { t } = useTranslation(['roles', 'web'])
  const [typed, setTyped] = useState('')
  const [chosenOnly, setChosenOnly] = useState(false)
  const wanted = useDeferredValue(typed.trim().toLowerCase())
  const { codes, say, data } = catalogue
  const chosen = useMemo(() => new Set(value), [value])
  const held = useRef({ chosen, onChange, codes })
  held.current = { chosen, onChange, codes }
  const set = useCallback((targets: readonly string[], on: boolean) => {
    const now = held.current
    now.onChange?.(toggled(now.chosen, targets, on, now.codes))
  }, [])
  // ticks do not change what is listed, but for "only chosen"
  const listed = chosenOnly ? chosen : null
  const groups = useMemo(() => {
    const fits = (text: string) => wanted === '' || text.toLowerCase().includes(wanted)
    return (data?.groups ?? []).flatMap((group) => {
      const resources = group.resources.flatMap((resource) => {
        const all = fits(`${say(group)} ${say(resource)}`)
        const permissions = resource.permissions.filter(
          (code) =>
            (all || fits(`${say(code)} ${code.permission}`)) &&
            (listed === null || listed.has(code.permission)),
        )
        return permissions.length ? [{ ...resource, permissions }] : []
      })
      return resources.length ? [{ ...group, resources }] : []
    })
  }, [data, wanted, listed, say])
  return (
    <div id={id} className={styles.picker} tabIndex={-1}>
      <SearchBar
        className={styles.bar}
        hint={t('form.search')}
        typed={typed}
        onType={setTyped}
        only={{ label: t('form.onlyChosen'), on: chosenOnly, set: setChosenOnly }}
      >
        <span aria-live="polite">
          <Muted small>{t('form.counter', { n: chosen.size, all: codes.size })}</Muted>
        </span>
      </SearchBar>
      {groups.length || !data ? null : <Lead>{t('form.nothingFound')}</Lead>}
      {groups.map((group) => (
        <GroupBlock
          key={group.key}
          group={group}
          ticks={ticksOf(group, chosen)}
          set={set}
          say={say}
          disabled={disabled}
          shown={wanted !== '' || chosenOnly}
        />
      ))}
    </div>
  )
}

type Code = Group['resources'][number]['permissions'][number]
const freeOf = (codes: readonly Code[]) =>
  codes.flatMap((code) => (code.blocked === null ? [code.permission] : []))
const ticksOf = (group: Group, chosen: ReadonlySet<string>): string =>
  group.resources
    .flatMap((resource) => resource.permissions.map((code) => code.permission))
    .filter((code) => chosen.has(code))
    .join(' ')

type BlockProps = {
  group: Group
  /** Chosen codes of the group as text, so that equal ticks are equal props. */
  ticks: string
  set: (codes: readonly string[], on: boolean) => void
  say: (entry: { zh: string; en: string }) => string
  disabled: boolean
  /** A search shows what it found; else a group opens when somebody wants to see it. */
  shown: boolean
}
const GroupBlock = memo(function GroupBlock({
  group,
  ticks,
  set,
  say,
  disabled,
  shown,
}: BlockProps) {
  const { t } = useTranslation(['roles', 'web'])
  const [opened, setOpened] = useState(false)
  const open = shown || opened
  const chosen = new Set(ticks === '' ? [] : ticks.split(' '))
  const all = group.resources.flatMap((resource) => resource.permissions)
  return (
    <section className={styles.group}>
      <header>
        <All
          label={say(group)}
          codes={freeOf(all)}
          chosen={chosen}
          set={set}
          disabled={disabled}
          strong
        />
        <button
          type="button"
          aria-expanded={open}
          aria-label={say(group)}
          onClick={() => setOpened(!open)}
        >
          {chosen.size} / {all.length} <DownOutlined rotate={open ? 180 : 0} />
        </button>
      </header>
      {(open ? group.resources : []).map((resource) => (
        <div key={resource.key} className={styles.resource}>
          <All
            label={say(resource)}
            codes={freeOf(resource.permissions)}
            chosen={chosen}
            set={set}
            disabled={disabled}
          />
          <div className={styles.codes}>
            {resource.permissions.map((code) => {
              const why = code.blocked
                ? t(`form.${code.blocked}`)
                : code.platformOnly
                  ? t('form.platformOnly')
                  : code.permission
              return (
                <label
                  key={code.permission}
                  className={code.blocked ? styles.blocked : ''}
                  title={why}
                >
                  <input
                    type="checkbox"
                    checked={chosen.has(code.permission)}
                    disabled={disabled || code.blocked !== null}
                    onChange={(event) => set([code.permission], event.target.checked)}
                  />
                  {say(code)}
                </label>
              )
            })}
          </div>
        </div>
      ))}
    </section>
  )
})

type AllProps = Pick<BlockProps, 'set' | 'disabled'> & {
  label: string
  codes: readonly string[]
  chosen: ReadonlySet<string>
  strong?: boolean
}
function All({ label, codes, chosen, set, disabled, strong = false }: AllProps) {
  const { t } = useTranslation('roles')
  const on = codes.filter((code) => chosen.has(code)).length
  return (
    <label className={strong ? styles.strong : styles.name} title={t('form.all')}>
      <input
        type="checkbox"
        aria-label={`${t('form.all')} ${label}`}
        checked={codes.length > 0 && on === codes.length}
        ref={(box) => {
          if (box) box.indeterminate = on > 0 && on < codes.length
        }}
        disabled={disabled || codes.length === 0}
        onChange={(event) => set(codes, event.target.checked)}
      />
      {label}
    </label>
  )
}

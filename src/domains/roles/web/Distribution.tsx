import { Button, Checkbox, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Unread } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { useMay } from '../../../web/session.ts'
import { useDirty } from '../../../web/shell/tabs.ts'
import { Page } from '../../../web/ui/Page.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { OrganisationSelect } from '../../accounts/web/pickers.tsx'
import { type DistributionRow, roles } from '../contract.ts'
import { type NamedRole, roleName } from '../rules.ts'
import styles from './matrix.module.css'

const BeyondDrawer = lazyDialog(() => import('./BeyondDrawer.tsx').then((m) => m.BeyondDrawer))

type Draft = Pick<DistributionRow, 'targets' | 'orgKinds' | 'maxUsers'>

/**
 * Who may give which roles: acting roles down, roles to give across; head and first column stay.
 */
export function Distribution() {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const may = useMay()
  const [orgId, setOrgId] = useState<number | null>(null)
  const of = orgId === null ? {} : { orgId }
  const read = useRead(roles.distribution, of, { inline: true })
  const [drafts, setDrafts] = useState<ReadonlyMap<number, Draft>>(new Map())
  const [beyond, setBeyond] = useState(false)
  const clear = () => setDrafts(new Map())
  const save = useWrite(roles.distribute, { success: 'web:success.saved', onSuccess: clear })
  const restore = useAct(roles.restoreDistribution, {
    ask: t('matrix.restoreAsk'),
    success: 'web:success.saved',
    onSuccess: clear,
  })
  useLive('roles', [roles.distribution.path])
  useDirty(drafts.size > 0)
  const { rows = [], columns = [] } = read.data ?? {}
  const nameOf = (row: NamedRole) => roleName(row, lang)
  const readOnly = !may('role:distribute')
  const change = (row: DistributionRow, part: Partial<Draft>) =>
    setDrafts(new Map(drafts).set(row.roleId, { ...shownOf(row), ...part }))
  const shownOf = (row: DistributionRow): Draft =>
    drafts.get(row.roleId) ?? {
      targets: row.targets,
      orgKinds: row.orgKinds,
      maxUsers: row.maxUsers,
    }
  const submit = () =>
    save.mutate({
      ...of,
      rows: rows
        .filter((row) => drafts.has(row.roleId))
        .map((row) => ({ roleId: row.roleId, version: row.version, ...shownOf(row) })),
    })
  return (
    <Page
      bare
      lead={t(readOnly ? 'matrix.readonly' : 'matrix.hint')}
      tools={
        <>
          <span style={{ width: 220 }}>
            <OrganisationSelect
              value={orgId}
              placeholder={t('matrix.tenant')}
              disabled={drafts.size > 0}
              onChange={setOrgId}
            />
          </span>
          <Button onClick={() => setBeyond(true)}>{t('matrix.beyond')}</Button>
          {readOnly ? null : (
            <>
              <Button onClick={() => void restore({})}>{t('web:action.reset')}</Button>
              {drafts.size ? <Muted>{t('matrix.changed', { count: drafts.size })}</Muted> : null}
              <Button
                type="primary"
                disabled={!drafts.size}
                loading={save.isPending}
                onClick={submit}
              >
                {t('web:action.save')}
              </Button>
            </>
          )}
        </>
      }
    >
      {read.data ? null : <Unread read={read} rows={12} />}
      {read.data && !rows.length ? <p>{t('matrix.none')}</p> : null}
      {rows.length ? (
        <div className={styles.scroll}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('matrix.actor')}</th>
                {columns.map((target) => (
                  <th key={target.roleId} scope="col" title={target.orgName}>
                    {nameOf(target)}
                  </th>
                ))}
                <th scope="col">{t('matrix.kinds')}</th>
                <th scope="col">
                  {t('matrix.maxUsers')} <small>{t('matrix.maxUsersHint')}</small>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => {
                const draft = shownOf(row)
                const off = readOnly || row.fixed
                return (
                  <tr key={row.roleId} data-changed={drafts.has(row.roleId)}>
                    <th scope="row" title={row.fixed ? t('matrix.superNote') : row.orgName}>
                      {nameOf(row)}
                      {row.adds ? <small>{t('matrix.adds')}</small> : null}
                    </th>
                    {columns.map((target) => {
                      const above = target.rank > row.rank
                      return (
                        <td
                          key={target.roleId}
                          title={
                            above
                              ? t('matrix.above')
                              : t('matrix.cell', { actor: nameOf(row), target: nameOf(target) })
                          }
                        >
                          <Checkbox
                            aria-label={t('matrix.cell', {
                              actor: nameOf(row),
                              target: nameOf(target),
                            })}
                            checked={draft.targets.includes(target.roleId)}
                            disabled={off || above}
                            onChange={({ target: box }) =>
                              change(row, {
                                targets: box.checked
                                  ? [...draft.targets, target.roleId]
                                  : draft.targets.filter((id) => id !== target.roleId),
                              })
                            }
                          />
                        </td>
                      )
                    })}
                    <td>
                      <Select
                        mode="multiple"
                        aria-label={`${nameOf(row)} ${t('matrix.kinds')}`}
                        value={draft.orgKinds}
                        disabled={off}
                        maxTagCount={2}
                        className={styles.kinds ?? ''}
                        placeholder="—"
                        options={(read.data?.orgKinds ?? []).map((value) => ({
                          value,
                          label: t(`enums.orgKind.${value}`),
                        }))}
                        onChange={(orgKinds: DistributionRow['orgKinds']) =>
                          change(row, { orgKinds })
                        }
                      />
                    </td>
                    <td>
                      <InputNumber
                        aria-label={`${nameOf(row)} ${t('matrix.maxUsers')}`}
                        min={1}
                        max={100_000}
                        precision={0}
                        value={draft.maxUsers}
                        disabled={off}
                        placeholder={t('matrix.unlimited')}
                        onChange={(maxUsers) => change(row, { maxUsers })}
                      />
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      ) : null}
      {beyond ? <BeyondDrawer onClose={() => setBeyond(false)} /> : null}
    </Page>
  )
}

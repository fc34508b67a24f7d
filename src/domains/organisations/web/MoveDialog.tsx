import { useIsMutating } from '@tanstack/react-query'
import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field } from '../../../web/form/fields.tsx'
import { Count } from '../../../web/Money.tsx'
import { type OrganisationRow, organisations } from '../contract.ts'
import styles from './organisations.module.css'
import { OrganisationSelect } from './pickers.tsx'

/** Where to, and at once what it would change or why it cannot be. */
export function MoveDialog({ row, onClose }: { row: OrganisationRow; onClose: () => void }) {
  const { t } = useTranslation(['organisations', 'web'])
  return (
    <FormDialog
      title={`${t('moving.title')} ${row.name}`}
      ns="organisations"
      save={organisations.move}
      initial={{ id: row.id, version: row.version }}
      success="organisations:success.move"
      okText={t('moving.ok')}
      onClose={onClose}
    >
      <Field name="parentId" label={t('moving.target')} wide>
        <OrganisationSelect without={row.id} />
      </Field>
      <Effect row={row} />
    </FormDialog>
  )
}

function Effect({ row }: { row: OrganisationRow }) {
  const { t } = useTranslation(['organisations', 'web'])
  const parentId = Form.useWatch('parentId') as number | undefined
  // once moved, nothing is left to try
  const idle = useIsMutating() === 0
  const { data, error } = useRead(organisations.previewMove, { id: row.id, ...(parentId ? { parentId } : {}) }, { inline: true, keep: true, enabled: idle })
  return (
    <div className={styles.effect} aria-live="polite">
      {error ? <p className={styles.wrong}>{error.message}</p> : null}
      {data && !error ? (
        <>
          {parentId && data.parentName ? t('ask.move', { a: data.name, b: data.parentName }) : t('moving.effect')}
          <dl>
            {(['organisations', 'users', 'devices'] as const).map((key) => (
              <div key={key}>
                <dt>{t(`moving.${key}`)}</dt>
                <dd>
                  <Count value={data[key]} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : null}
    </div>
  )
}

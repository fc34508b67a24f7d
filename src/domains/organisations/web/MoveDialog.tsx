import { useIsMutating } from '@tanstack/react-query'
import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note } from '../../../web/form/fields.tsx'
import { Count } from '../../../web/Money.tsx'
import { Facts } from '../../../web/ui/Card.tsx'
import { OrganisationSelect } from '../../accounts/web/pickers.tsx'
import { type OrganisationRow, organisations } from '../contract.ts'

/** Where to, and at once what it would change or why it cannot be. */
export function MoveDialog({ row, onClose }: { row: OrganisationRow; onClose: () => void }) {
  const { t } = useTranslation('organisations')
  return (
    <FormDialog
      title={`${t('moving.title')} ${row.name}`}
      ns="organisations"
      save={organisations.move}
      initial={{ id: row.id, version: row.version }}
      success="web:success.done"
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
  const { t } = useTranslation('organisations')
  const parentId = Form.useWatch('parentId') as number | null | undefined
  // once moved, nothing is left to try
  const idle = useIsMutating() === 0
  const { data, error } = useRead(
    organisations.previewMove,
    { id: row.id, ...(parentId ? { parentId } : {}) },
    { inline: true, keep: true, enabled: idle },
  )
  if (error) return <Note type="warning">{error.message}</Note>
  if (!data) return null
  const { name: a, parentName: b } = data
  return (
    <Note>
      {parentId && b ? t('ask.move', { a, b }) : t('moving.effect')}
      <Facts
        items={(['organisations', 'users', 'devices'] as const).map((key) => [
          t(`moving.${key}`),
          <Count key={key} value={data[key]} />,
        ])}
      />
    </Note>
  )
}

import { Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { save } from '../../../web/download.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Fixed, Note, NumberField, SwitchField, TextAreaField } from '../../../web/form/fields.tsx'
import { zonedTime } from '../../../web/time.ts'
import { toast } from '../../../web/toast.ts'
import { type Code, ofKind, type VersionRow } from '../contract.ts'

type Props = { code: Code; row: VersionRow; onClose: () => void }
const title = (word: string, row: VersionRow) => `${word} · ${row.name} ${row.versionName}`

/** The manifest goes out, its signature comes back. */
export function PublishDialog({ code, row, onClose }: Props) {
  const { t } = useTranslation('releases')
  const { data } = useRead(ofKind[code].manifest, { id: row.id })
  return (
    <FormDialog
      ns="releases"
      title={title(t('publish'), row)}
      okText={t('publish')}
      save={ofKind[code].publish}
      initial={{ id: row.id, version: row.version }}
      success="web:success.done"
      width={640}
      onClose={onClose}
    >
      <Note>{t('publishHint')}</Note>
      <Fixed label={t('fields.manifest')}>
        {data ? (
          <Flex gap={12} align="center" wrap>
            <span>
              {t('signedBy', { serial: data.serial, time: zonedTime(new Date(data.expireTime)) })}
            </span>
            <Button
              size="small"
              onClick={() =>
                save(
                  new Blob([data.manifest], { type: 'application/json' }),
                  `${row.target}-${row.versionName}-${data.serial}.json`,
                )
              }
            >
              {t('download')}
            </Button>
          </Flex>
        ) : null}
      </Fixed>
      <TextAreaField name="signature" rows={3} />
    </FormDialog>
  )
}

export function IssueDialog({ code, row, onClose }: Props) {
  const { t } = useTranslation('releases')
  return (
    <FormDialog
      ns="releases"
      title={title(t('issue'), row)}
      okText={t('issue')}
      save={ofKind[code].issue}
      initial={{ id: row.id, version: row.version, days: 365, downgrade: false }}
      onSaved={() => toast('success', t('issued'))}
      onClose={onClose}
    >
      <Note type="warning">{t('issueHint')}</Note>
      <NumberField name="days" />
      <SwitchField name="downgrade" />
    </FormDialog>
  )
}

import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Alert, Button, Flex, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { useCols } from '../../../web/columns.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note, SelectField, SwitchField, TextField } from '../../../web/form/fields.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useMay } from '../../../web/session.ts'
import { fullTime } from '../../../web/time.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { useAct } from '../../../web/useAct.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { workbench } from '../contract.ts'
import { LinkRow } from '../linkContract.ts'

type Made = Output<typeof workbench.createLink>

/** Who shows the wall display where, and until when. */
export function LinkList() {
  const { t } = useTranslation('workbench')
  const col = useCols(LinkRow, 'workbench')
  const [creating, setCreating] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const revoke = useAct(workbench.revokeLink, {
    ask: t('links.revokeAsk'),
    name: (row: LinkRow) => row.name,
    ok: t('links.revoke'),
  })
  const add = (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {t('links.create')}
    </Button>
  )
  return (
    <>
      <ListPage
        ns="workbench"
        endpoint={workbench.links}
        live="screen-links"
        header={add}
        views="state"
        empty={{ title: t('links.empty'), hint: t('links.emptyHint'), action: add }}
        filters={[]}
        card={['orgName', 'creator', 'money', 'expireTime']}
        columns={[
          col('name'),
          col('orgName'),
          col('state'),
          col('money', {
            render: (money) => t(money ? 'links.money' : 'links.hidden'),
          }),
          col('creator'),
          col('createTime'),
          col('expireTime'),
          col('revokeTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'revoke',
            label: t('links.revoke'),
            can: row.state === 'LIVE',
            danger: true,
            onClick: () => revoke(row),
          },
        ]}
      />
      {creating ? (
        <CreateDialog
          onClose={() => setCreating(false)}
          onMade={(link) => {
            setCreating(false)
            setMade(link)
          }}
        />
      ) : null}
      {made ? <MadeDialog link={made} onClose={() => setMade(null)} /> : null}
    </>
  )
}

function CreateDialog({ onClose, onMade }: { onClose: () => void; onMade: (link: Made) => void }) {
  const { t } = useTranslation('workbench')
  const may = useMay()
  return (
    <FormDialog
      title={t('links.title')}
      ns="workbench"
      width={480}
      onClose={onClose}
      save={workbench.createLink}
      initial={{ time: 'D7', money: false }}
      okText={t('links.create')}
      onSaved={onMade}
    >
      <Note type="warning">{t('links.warning')}</Note>
      <TextField name="name" wide count />
      <Field name="orgId" wide>
        <OwnerSelect />
      </Field>
      <SelectField name="time" wide />
      {may('dashboard:money') ? <SwitchField name="money" wide /> : null}
    </FormDialog>
  )
}

function MadeDialog({ link, onClose }: { link: Made; onClose: () => void }) {
  const { t } = useTranslation('workbench')
  return (
    <Modal open title={t('links.made')} onCancel={onClose} footer={null} width={560}>
      <Flex vertical align="start" gap={12}>
        <Alert
          type="warning"
          showIcon
          title={t('links.madeHint', { time: fullTime(new Date(link.expireTime)).slice(0, 16) })}
        />
        <Input.TextArea readOnly value={link.url} autoSize aria-label={t('links.copy')} />
        <CopyButton text={link.url} label={t('links.copy')} />
      </Flex>
    </Modal>
  )
}

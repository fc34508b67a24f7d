import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Section } from '../../../web/FormPage.tsx'
import {
  Field,
  Fixed,
  Note,
  NumberField,
  RadioField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import { InstantInput } from '../../../web/InstantInput.tsx'
import { RecordPage } from '../../../web/RecordPage.tsx'
import { useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DevicesSelect } from '../../machines/web/pickers.tsx'
import { type StrategyRow, splitStrategies } from '../contract.ts'
import { delays } from '../rules.ts'
import { LanesSelect } from './LanesSelect.tsx'
import { MerchantSelect } from './MerchantSelect.tsx'
import { PartyLines } from './PartyLines.tsx'
import { Trial } from './Trial.tsx'

const own = ({ parties, ...row }: StrategyRow) => ({
  ...row,
  parties: parties.map(({ name: _, kind: __, ...line }) => line),
  // of a published one a new draft begins
  ...(row.draftNo === null ? { note: '', validFrom: null } : {}),
})

/** Create and edit; what is saved is a draft. */
export function StrategyForm() {
  const { id, orgId } = useUser()
  return (
    <RecordPage
      ns="splitStrategies"
      get={splitStrategies.get}
      create={splitStrategies.create}
      update={splitStrategies.update}
      name={({ name }) => [name]}
      blank={{ orgId, parties: [{ orgId, referrerId: null, ratioBp: 10_000, isCollector: true }] }}
      shown={own}
      keep={id}
    >
      {(edited) => <Sections edited={edited} />}
    </RecordPage>
  )
}

function Sections({ edited }: { edited: StrategyRow | undefined }) {
  const { t } = useTranslation('splitStrategies')
  const form = Form.useFormInstance()
  const chosen = Form.useWatch('orgId', { form, preserve: true }) as number | undefined
  const mode = (Form.useWatch('mode', { form, preserve: true }) as string | undefined) ?? 'LEDGER'
  const timing = Form.useWatch('timing', { form, preserve: true }) as string | undefined
  const configId = (Form.useWatch('configId', { form, preserve: true }) as number | null) ?? null
  const orgId = edited?.orgId ?? chosen
  const choices = useRead(
    splitStrategies.choices,
    { orgId: orgId ?? 0 },
    { enabled: orgId !== undefined, keep: true, staleTime: 60_000 },
  ).data
  const keeping =
    mode === 'LEDGER'
      ? []
      : (choices?.receivers ?? []).filter((one) => one.configId === configId && !one.gives)
  const delay = timing === 'SECONDS' || timing === 'MINUTES' ? delays[timing] : null
  return (
    <>
      <Section title={t('basic')} purpose={t('basicHint')}>
        <TextField name="name" count />
        {edited ? (
          <Fixed label={t('fields.orgId')}>{edited.orgName}</Fixed>
        ) : (
          <Field name="orgId">
            <OwnerSelect />
          </Field>
        )}
        <Field name="configId" required>
          <MerchantSelect merchants={choices?.merchants ?? []} />
        </Field>
        <RadioField name="mode" hint={t(`modeHint.${mode}`)} />
      </Section>
      <Section title={t('shares')} purpose={t('sharesHint')}>
        <PartyLines
          choices={choices?.parties ?? []}
          keeping={keeping.map((one) => one.orgId)}
          named={edited?.parties ?? []}
        />
      </Section>
      <Section title={t('rules')} purpose={t('rulesHint')}>
        <RadioField name="feeMode" />
        <SelectField name="timing" />
        {delay ? (
          <NumberField
            name="timingNumber"
            required
            min={delay[0]}
            max={delay[1]}
            unit={t(timing === 'SECONDS' ? 'seconds' : 'minutes', { n: '' }).trim()}
          />
        ) : null}
        <Field name="validFrom">
          <InstantInput days={365} />
        </Field>
        <SwitchField name="subsidySplit" />
        <TextAreaField
          name="note"
          rows={2}
          required={edited !== undefined && (edited.draftNo ?? edited.versionNo + 1) > 1}
        />
      </Section>
      <Section title={t('scope')} purpose={t('scopeHint')}>
        <Field name="laneIds" wide>
          <LanesSelect />
        </Field>
        <SelectField
          name="categoryIds"
          multiple
          options={(choices?.categories ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Field name="deviceIds">
          <DevicesSelect />
        </Field>
      </Section>
      <Section title={t('trial')} purpose={t('trialHint')}>
        {choices ? (
          <Trial choices={choices} named={edited?.parties ?? []} />
        ) : (
          <Note>{t('fillFirst')}</Note>
        )}
      </Section>
    </>
  )
}

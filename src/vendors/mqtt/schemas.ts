import Type, { type Static } from 'typebox';
import { HouseMeterSchema } from '../../adapter/device.ts';
import type { CredentialWords } from '../../adapter/login.ts';

const strict = { additionalProperties: false };
const MOST_DEVICES = 200;

/** One topic: a wildcard would make others' messages those of the device. */
const Topic = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^+#\\u0000]+$',
  description: 'A topic, without the wildcards + and #',
});
const Payload = Type.Union([Type.String({ maxLength: 200 }), Type.Number(), Type.Boolean()]);
const Pointer = Type.String({
  maxLength: 200,
  pattern: '^(?:/(?:[^~/]|~[01])*)*$',
  description:
    'Where the value is in the JSON of the message (RFC 6901), /ENERGY/Power; the whole message where it is absent',
});

/** A number, from a topic. */
const figureIn = <const Units extends readonly string[]>(units: Units) =>
  Type.Optional(
    Type.Object(
      {
        topic: Topic,
        pointer: Type.Optional(Pointer),
        unit: Type.Optional(Type.Enum([...units], { description: `${units[0]} unless it is said` })),
        scale: Type.Optional(
          Type.Number({
            minimum: -1e9,
            maximum: 1e9,
            description: 'What the number is multiplied by, before its unit',
          }),
        ),
      },
      strict,
    ),
  );

const Switched = Type.Object(
  { topic: Topic, pointer: Type.Optional(Pointer), on: Payload, off: Payload },
  strict,
);
const Availability = Type.Object(
  { topic: Topic, pointer: Type.Optional(Pointer), online: Payload, offline: Payload },
  strict,
);
const Message = Type.Object({ topic: Topic, payload: Type.String({ maxLength: 500 }) }, strict);

const POWER = ['W', 'kW', 'mW'] as const;
const Property = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Sent as {"property": number}; as the bare number where it is absent',
  }),
);

/** What a device publishes and takes, and where. */
export const Mapping = Type.Object(
  {
    reads: Type.Object(
      {
        read_power: figureIn(POWER),
        read_energy: figureIn(['Wh', 'kWh', 'MWh', 'mWh']),
        read_temperature: figureIn(['C', 'F', 'mC']),
        read_production: figureIn(POWER),
        power_on: Type.Optional(Switched),
        limit: figureIn(POWER),
        dim: figureIn(['percent']),
        target: figureIn(['C', 'F', 'mC']),
      },
      strict,
    ),
    controls: Type.Optional(
      Type.Object(
        {
          on_off: Type.Optional(
            Type.Object({ topic: Topic, property: Property, on: Payload, off: Payload }, strict),
          ),
          set_limit: Type.Optional(
            Type.Object(
              {
                topic: Topic,
                property: Property,
                min_w: Type.Integer({ minimum: 0, maximum: 1e9 }),
                max_w: Type.Integer({ minimum: 1, maximum: 1e9 }),
              },
              strict,
            ),
          ),
          set_light: Type.Optional(
            Type.Object(
              {
                topic: Topic,
                property: Property,
                max: Type.Integer({
                  minimum: 1,
                  maximum: 65_535,
                  description: 'The number for full brightness',
                }),
              },
              strict,
            ),
          ),
          set_temperature: Type.Optional(
            Type.Object(
              {
                topic: Topic,
                property: Property,
                min_c: Type.Number({ minimum: -100, maximum: 1_000, description: '°C, which are also sent' }),
                max_c: Type.Number({ minimum: -100, maximum: 1_000 }),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
    ask: Type.Optional(
      Type.Array(Message, { maxItems: 4, description: 'What makes the device publish its state at once' }),
    ),
    availability: Type.Optional(
      Type.Array(Availability, {
        maxItems: 3,
        description: 'The device is online while none of these says offline',
      }),
    ),
  },
  strict,
);
export type Mapping = Static<typeof Mapping>;
export type ReadName = keyof Mapping['reads'];

const TYPES = ['smart_home_appliance', 'light', 'thermostat', 'solar_inverter', 'industrial'] as const;

/** A device as an app maps it. */
const MappedDevice = Type.Object(
  {
    id: Type.String({
      maxLength: 64,
      pattern: '^[\\w.:-]+$',
      description: 'Letters, digits, and . _ : - alone',
    }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    type: Type.Enum([...TYPES]),
    measures: Type.Optional(HouseMeterSchema),
    ...Mapping.properties,
  },
  strict,
);
export type MappedDevice = Static<typeof MappedDevice>;

export const Credentials = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[^\\s/@]+$',
      description: 'A name or an IP address, without mqtt:// and without a port',
    }),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 256, writeOnly: true })),
    zigbee2mqtt_topic: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '^[^+#\\u0000]+$',
        description: 'Base topic of Zigbee2MQTT, whose devices are found by themselves',
      }),
    ),
    tasmota_topics: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        pattern: '^[^+#/\\u0000]+$',
        description: 'Topics of Tasmota devices, with commas between them',
      }),
    ),
    tasmota_full_topic: Type.Optional(
      Type.String({
        maxLength: 100,
        pattern: '^[^+#\\u0000]*%prefix%[^+#\\u0000]*$',
        description: 'FullTopic of Tasmota, where it is not %prefix%/%topic%/',
      }),
    ),
    tls: Type.Optional(
      Type.Boolean({
        description: 'TLS with a certificate that a public authority has signed for the host',
      }),
    ),
    own_certificate: Type.Optional(
      Type.Boolean({
        description:
          'With tls: the broker has a certificate that no public authority has signed; the one that it shows while it is linked is kept',
      }),
    ),
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: '1883, and 8883 with TLS, unless it is said',
      }),
    ),
    devices: Type.Optional(
      Type.Array(MappedDevice, {
        minItems: 1,
        maxItems: MOST_DEVICES,
        'x-api-only': true,
        description: 'Devices of any kind, each with its topics',
      }),
    ),
  },
  strict,
);
export type Credentials = Static<typeof Credentials>;

const ADDRESS = { en: 'Address of the broker', sv: 'Brokerns adress' };

export const words: CredentialWords = {
  en: {
    host: {
      label: ADDRESS.en,
      hint: 'The computer that runs your MQTT broker, such as 192.168.1.10.',
      fault: 'Enter an address such as 192.168.1.10, without mqtt://.',
    },
    username: { label: 'User name at the broker', hint: 'Leave it empty if your broker has none.' },
    password: { label: 'Password at the broker' },
    zigbee2mqtt_topic: {
      label: 'Zigbee2MQTT: base topic',
      hint: 'Usually zigbee2mqtt. Leave it empty if you do not use Zigbee2MQTT.',
    },
    tasmota_topics: {
      label: 'Tasmota: topics',
      hint: 'The topic of each device, as its page Configure MQTT shows it, with commas between them.',
      fault: 'Enter topics such as plug-1, plug-2.',
    },
    tasmota_full_topic: {
      label: 'Tasmota: full topic',
      hint: 'Only where you have changed it from %prefix%/%topic%/.',
      fault: 'It must contain %prefix%.',
    },
    tls: { label: 'The broker uses TLS' },
    own_certificate: {
      label: 'Its certificate is its own',
      hint: 'Tick it together with TLS if you made the certificate yourself. elnav then accepts only the one that the broker has now.',
    },
    port: { label: 'Port', hint: '1883, or 8883 with TLS, unless you have changed it.' },
  },
  sv: {
    host: {
      label: ADDRESS.sv,
      hint: 'Datorn som kör din MQTT-broker, till exempel 192.168.1.10.',
      fault: 'Skriv en adress som 192.168.1.10, utan mqtt://.',
    },
    username: { label: 'Användarnamn hos brokern', hint: 'Lämna tomt om din broker inte har något.' },
    password: { label: 'Lösenord hos brokern' },
    zigbee2mqtt_topic: {
      label: 'Zigbee2MQTT: bastopic',
      hint: 'Oftast zigbee2mqtt. Lämna tomt om du inte använder Zigbee2MQTT.',
    },
    tasmota_topics: {
      label: 'Tasmota: topics',
      hint: 'Varje enhets topic, som dess sida Configure MQTT visar den, med kommatecken emellan.',
      fault: 'Skriv topics som plugg-1, plugg-2.',
    },
    tasmota_full_topic: {
      label: 'Tasmota: full topic',
      hint: 'Bara om du har ändrat den från %prefix%/%topic%/.',
      fault: 'Den måste innehålla %prefix%.',
    },
    tls: { label: 'Brokern använder TLS' },
    own_certificate: {
      label: 'Certifikatet är brokerns eget',
      hint: 'Kryssa i det tillsammans med TLS om du har gjort certifikatet själv. Sedan godtas bara det som brokern har nu.',
    },
    port: { label: 'Port', hint: '1883, eller 8883 med TLS, om du inte har ändrat den.' },
  },
};

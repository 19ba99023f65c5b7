import * as $protobuf from "protobufjs";
import Long = require("long");

/** Namespace actors. */
export namespace actors {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a Bundle.
         * @deprecated Use actors.v1.Bundle.$Properties instead.
         */
        interface IBundle extends actors.v1.Bundle.$Properties {
        }

        /** Represents a Bundle. */
        class Bundle {

            /**
             * Constructs a new Bundle.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Bundle.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Bundle files. */
            files: actors.v1.BundleFile.$Properties[];

            /**
             * Creates a new Bundle instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Bundle instance
             */
            static create(properties: actors.v1.Bundle.$Shape): actors.v1.Bundle & actors.v1.Bundle.$Shape;
            static create(properties?: actors.v1.Bundle.$Properties): actors.v1.Bundle;

            /**
             * Encodes the specified Bundle message. Does not implicitly {@link actors.v1.Bundle.verify|verify} messages.
             * @param message Bundle message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Bundle.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Bundle message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Bundle & actors.v1.Bundle.$Shape} Bundle
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Bundle & actors.v1.Bundle.$Shape;

            /**
             * Gets the type url for Bundle
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Bundle {

            /** Properties of a Bundle. */
            interface $Properties {

                /** Bundle files */
                files?: (actors.v1.BundleFile.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Bundle. */
            type $Shape = actors.v1.Bundle.$Properties;
        }

        /**
         * Properties of a BundleFile.
         * @deprecated Use actors.v1.BundleFile.$Properties instead.
         */
        interface IBundleFile extends actors.v1.BundleFile.$Properties {
        }

        /** Represents a BundleFile. */
        class BundleFile {

            /**
             * Constructs a new BundleFile.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.BundleFile.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** BundleFile path. */
            path: string;

            /** BundleFile executable. */
            executable: boolean;

            /** BundleFile content. */
            content: Uint8Array;

            /**
             * Creates a new BundleFile instance using the specified properties.
             * @param [properties] Properties to set
             * @returns BundleFile instance
             */
            static create(properties: actors.v1.BundleFile.$Shape): actors.v1.BundleFile & actors.v1.BundleFile.$Shape;
            static create(properties?: actors.v1.BundleFile.$Properties): actors.v1.BundleFile;

            /**
             * Encodes the specified BundleFile message. Does not implicitly {@link actors.v1.BundleFile.verify|verify} messages.
             * @param message BundleFile message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.BundleFile.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a BundleFile message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.BundleFile & actors.v1.BundleFile.$Shape} BundleFile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.BundleFile & actors.v1.BundleFile.$Shape;

            /**
             * Gets the type url for BundleFile
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace BundleFile {

            /** Properties of a BundleFile. */
            interface $Properties {

                /** BundleFile path */
                path?: (string|null);

                /** BundleFile executable */
                executable?: (boolean|null);

                /** BundleFile content */
                content?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a BundleFile. */
            type $Shape = actors.v1.BundleFile.$Properties;
        }

        /**
         * Properties of a Batch.
         * @deprecated Use actors.v1.Batch.$Properties instead.
         */
        interface IBatch extends actors.v1.Batch.$Properties {
        }

        /** Represents a Batch. */
        class Batch {

            /**
             * Constructs a new Batch.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Batch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Batch from. */
            from: string;

            /** Batch frames. */
            frames: actors.v1.Frame.$Properties[];

            /** Batch link. */
            link: string;

            /** Batch settled. */
            settled: number;

            /**
             * Creates a new Batch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Batch instance
             */
            static create(properties: actors.v1.Batch.$Shape): actors.v1.Batch & actors.v1.Batch.$Shape;
            static create(properties?: actors.v1.Batch.$Properties): actors.v1.Batch;

            /**
             * Encodes the specified Batch message. Does not implicitly {@link actors.v1.Batch.verify|verify} messages.
             * @param message Batch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Batch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Batch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Batch & actors.v1.Batch.$Shape} Batch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Batch & actors.v1.Batch.$Shape;

            /**
             * Gets the type url for Batch
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Batch {

            /** Properties of a Batch. */
            interface $Properties {

                /** Batch from */
                from?: (string|null);

                /** Batch frames */
                frames?: (actors.v1.Frame.$Properties[]|null);

                /** Batch link */
                link?: (string|null);

                /** Batch settled */
                settled?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Batch. */
            type $Shape = actors.v1.Batch.$Properties;
        }

        /** FrameKind enum. */
        enum FrameKind {

            /** CALL value */
            CALL = 0,

            /** TELL value */
            TELL = 1,

            /** REPLY value */
            REPLY = 2,

            /** ERROR value */
            ERROR = 3,

            /** CANCEL value */
            CANCEL = 4,

            /** ITEM value */
            ITEM = 5,

            /** END value */
            END = 6,

            /** CREDIT value */
            CREDIT = 7,

            /** FULL value */
            FULL = 8,

            /** WANT value */
            WANT = 9,

            /** ROOM value */
            ROOM = 10
        }

        /** Codec enum. */
        enum Codec {

            /** NONE value */
            NONE = 0,

            /** MSGPACK value */
            MSGPACK = 1,

            /** PROTO value */
            PROTO = 2,

            /** MSGPACK_OBJECT value */
            MSGPACK_OBJECT = 3,

            /** PROTO_OBJECT value */
            PROTO_OBJECT = 4
        }

        /**
         * Properties of a Frame.
         * @deprecated Use actors.v1.Frame.$Properties instead.
         */
        interface IFrame extends actors.v1.Frame.$Properties {
        }

        /** Represents a Frame. */
        class Frame {

            /**
             * Constructs a new Frame.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Frame.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Frame kind. */
            kind: actors.v1.FrameKind;

            /** Frame id. */
            id: number;

            /** Frame actor. */
            actor: string;

            /** Frame epoch. */
            epoch: number;

            /** Frame method. */
            method: string;

            /** Frame budgetMs. */
            budgetMs: number;

            /** Frame codec. */
            codec: actors.v1.Codec;

            /** Frame payload. */
            payload: Uint8Array;

            /** Frame error. */
            error?: (actors.v1.Failure.$Properties|null);

            /** Frame credit. */
            credit: number;

            /** Frame attempt. */
            attempt: number;

            /** Frame trace. */
            trace: string;

            /** Frame waits. */
            waits: boolean;

            /** Frame shared. */
            shared: boolean;

            /** Frame objects. */
            objects: boolean;

            /**
             * Creates a new Frame instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Frame instance
             */
            static create(properties: actors.v1.Frame.$Shape): actors.v1.Frame & actors.v1.Frame.$Shape;
            static create(properties?: actors.v1.Frame.$Properties): actors.v1.Frame;

            /**
             * Encodes the specified Frame message. Does not implicitly {@link actors.v1.Frame.verify|verify} messages.
             * @param message Frame message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Frame.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Frame message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Frame & actors.v1.Frame.$Shape} Frame
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Frame & actors.v1.Frame.$Shape;

            /**
             * Gets the type url for Frame
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Frame {

            /** Properties of a Frame. */
            interface $Properties {

                /** Frame kind */
                kind?: (actors.v1.FrameKind|null);

                /** Frame id */
                id?: (number|null);

                /** Frame actor */
                actor?: (string|null);

                /** Frame epoch */
                epoch?: (number|null);

                /** Frame method */
                method?: (string|null);

                /** Frame budgetMs */
                budgetMs?: (number|null);

                /** Frame codec */
                codec?: (actors.v1.Codec|null);

                /** Frame payload */
                payload?: (Uint8Array|null);

                /** Frame error */
                error?: (actors.v1.Failure.$Properties|null);

                /** Frame credit */
                credit?: (number|null);

                /** Frame attempt */
                attempt?: (number|null);

                /** Frame trace */
                trace?: (string|null);

                /** Frame waits */
                waits?: (boolean|null);

                /** Frame shared */
                shared?: (boolean|null);

                /** Frame objects */
                objects?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Frame. */
            type $Shape = actors.v1.Frame.$Properties;
        }

        /**
         * Properties of a Failure.
         * @deprecated Use actors.v1.Failure.$Properties instead.
         */
        interface IFailure extends actors.v1.Failure.$Properties {
        }

        /** Represents a Failure. */
        class Failure {

            /**
             * Constructs a new Failure.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Failure.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Failure code. */
            code: string;

            /** Failure message. */
            message: string;

            /** Failure hint. */
            hint: string;

            /** Failure retryable. */
            retryable: boolean;

            /** Failure stack. */
            stack: string;

            /** Failure cause. */
            cause?: (actors.v1.Failure.$Properties|null);

            /** Failure details. */
            details: Uint8Array;

            /**
             * Creates a new Failure instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Failure instance
             */
            static create(properties: actors.v1.Failure.$Shape): actors.v1.Failure & actors.v1.Failure.$Shape;
            static create(properties?: actors.v1.Failure.$Properties): actors.v1.Failure;

            /**
             * Encodes the specified Failure message. Does not implicitly {@link actors.v1.Failure.verify|verify} messages.
             * @param message Failure message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Failure.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Failure message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Failure & actors.v1.Failure.$Shape} Failure
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Failure & actors.v1.Failure.$Shape;

            /**
             * Gets the type url for Failure
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Failure {

            /** Properties of a Failure. */
            interface $Properties {

                /** Failure code */
                code?: (string|null);

                /** Failure message */
                message?: (string|null);

                /** Failure hint */
                hint?: (string|null);

                /** Failure retryable */
                retryable?: (boolean|null);

                /** Failure stack */
                stack?: (string|null);

                /** Failure cause */
                cause?: (actors.v1.Failure.$Properties|null);

                /** Failure details */
                details?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Failure. */
            type $Shape = actors.v1.Failure.$Properties;
        }

        /**
         * Properties of a Resources.
         * @deprecated Use actors.v1.Resources.$Properties instead.
         */
        interface IResources extends actors.v1.Resources.$Properties {
        }

        /** Represents a Resources. */
        class Resources {

            /**
             * Constructs a new Resources.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Resources.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Resources cpus. */
            cpus: number;

            /** Resources gpus. */
            gpus: number;

            /** Resources memoryMb. */
            memoryMb: number;

            /** Resources custom. */
            custom: { [k: string]: number };

            /**
             * Creates a new Resources instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Resources instance
             */
            static create(properties: actors.v1.Resources.$Shape): actors.v1.Resources & actors.v1.Resources.$Shape;
            static create(properties?: actors.v1.Resources.$Properties): actors.v1.Resources;

            /**
             * Encodes the specified Resources message. Does not implicitly {@link actors.v1.Resources.verify|verify} messages.
             * @param message Resources message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Resources.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Resources message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Resources & actors.v1.Resources.$Shape} Resources
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Resources & actors.v1.Resources.$Shape;

            /**
             * Gets the type url for Resources
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Resources {

            /** Properties of a Resources. */
            interface $Properties {

                /** Resources cpus */
                cpus?: (number|null);

                /** Resources gpus */
                gpus?: (number|null);

                /** Resources memoryMb */
                memoryMb?: (number|null);

                /** Resources custom */
                custom?: ({ [k: string]: number }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Resources. */
            type $Shape = actors.v1.Resources.$Properties;
        }

        /** NodeState enum. */
        enum NodeState {

            /** NODE_UP value */
            NODE_UP = 0,

            /** NODE_DRAINING value */
            NODE_DRAINING = 1,

            /** NODE_DEAD value */
            NODE_DEAD = 2
        }

        /**
         * Properties of a NodeRecord.
         * @deprecated Use actors.v1.NodeRecord.$Properties instead.
         */
        interface INodeRecord extends actors.v1.NodeRecord.$Properties {
        }

        /** Represents a NodeRecord. */
        class NodeRecord {

            /**
             * Constructs a new NodeRecord.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.NodeRecord.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** NodeRecord id. */
            id: string;

            /** NodeRecord endpoint. */
            endpoint: string;

            /** NodeRecord state. */
            state: actors.v1.NodeState;

            /** NodeRecord host. */
            host: string;

            /** NodeRecord pid. */
            pid: number;

            /** NodeRecord capacity. */
            capacity?: (actors.v1.Resources.$Properties|null);

            /** NodeRecord slot. */
            slot: number;

            /** NodeRecord metrics. */
            metrics: string;

            /** NodeRecord labels. */
            labels: { [k: string]: string };

            /** NodeRecord devices. */
            devices: string[];

            /**
             * Creates a new NodeRecord instance using the specified properties.
             * @param [properties] Properties to set
             * @returns NodeRecord instance
             */
            static create(properties: actors.v1.NodeRecord.$Shape): actors.v1.NodeRecord & actors.v1.NodeRecord.$Shape;
            static create(properties?: actors.v1.NodeRecord.$Properties): actors.v1.NodeRecord;

            /**
             * Encodes the specified NodeRecord message. Does not implicitly {@link actors.v1.NodeRecord.verify|verify} messages.
             * @param message NodeRecord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.NodeRecord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a NodeRecord message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.NodeRecord & actors.v1.NodeRecord.$Shape} NodeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.NodeRecord & actors.v1.NodeRecord.$Shape;

            /**
             * Gets the type url for NodeRecord
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace NodeRecord {

            /** Properties of a NodeRecord. */
            interface $Properties {

                /** NodeRecord id */
                id?: (string|null);

                /** NodeRecord endpoint */
                endpoint?: (string|null);

                /** NodeRecord state */
                state?: (actors.v1.NodeState|null);

                /** NodeRecord host */
                host?: (string|null);

                /** NodeRecord pid */
                pid?: (number|null);

                /** NodeRecord capacity */
                capacity?: (actors.v1.Resources.$Properties|null);

                /** NodeRecord slot */
                slot?: (number|null);

                /** NodeRecord metrics */
                metrics?: (string|null);

                /** NodeRecord labels */
                labels?: ({ [k: string]: string }|null);

                /** NodeRecord devices */
                devices?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a NodeRecord. */
            type $Shape = actors.v1.NodeRecord.$Properties;
        }

        /** ActorState enum. */
        enum ActorState {

            /** PENDING value */
            PENDING = 0,

            /** STARTING value */
            STARTING = 1,

            /** RUNNING value */
            RUNNING = 2,

            /** RESTARTING value */
            RESTARTING = 3,

            /** STOPPED value */
            STOPPED = 4,

            /** FAILED value */
            FAILED = 5,

            /** PASSIVE value */
            PASSIVE = 6
        }

        /** Hosting enum. */
        enum Hosting {

            /** INLINE value */
            INLINE = 0,

            /** THREAD value */
            THREAD = 1,

            /** PROCESS value */
            PROCESS = 2
        }

        /** RestartPolicy enum. */
        enum RestartPolicy {

            /** ON_FAILURE value */
            ON_FAILURE = 0,

            /** ALWAYS value */
            ALWAYS = 1,

            /** NEVER value */
            NEVER = 2
        }

        /**
         * Properties of a Restart.
         * @deprecated Use actors.v1.Restart.$Properties instead.
         */
        interface IRestart extends actors.v1.Restart.$Properties {
        }

        /** Represents a Restart. */
        class Restart {

            /**
             * Constructs a new Restart.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Restart.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Restart policy. */
            policy: actors.v1.RestartPolicy;

            /** Restart max. */
            max: number;

            /** Restart withinMs. */
            withinMs: number;

            /** Restart backoffMs. */
            backoffMs: number;

            /** Restart escalate. */
            escalate: boolean;

            /**
             * Creates a new Restart instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Restart instance
             */
            static create(properties: actors.v1.Restart.$Shape): actors.v1.Restart & actors.v1.Restart.$Shape;
            static create(properties?: actors.v1.Restart.$Properties): actors.v1.Restart;

            /**
             * Encodes the specified Restart message. Does not implicitly {@link actors.v1.Restart.verify|verify} messages.
             * @param message Restart message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Restart.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Restart message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Restart & actors.v1.Restart.$Shape} Restart
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Restart & actors.v1.Restart.$Shape;

            /**
             * Gets the type url for Restart
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Restart {

            /** Properties of a Restart. */
            interface $Properties {

                /** Restart policy */
                policy?: (actors.v1.RestartPolicy|null);

                /** Restart max */
                max?: (number|null);

                /** Restart withinMs */
                withinMs?: (number|null);

                /** Restart backoffMs */
                backoffMs?: (number|null);

                /** Restart escalate */
                escalate?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Restart. */
            type $Shape = actors.v1.Restart.$Properties;
        }

        /** Strategy enum. */
        enum Strategy {

            /** SPREAD value */
            SPREAD = 0,

            /** PACK value */
            PACK = 1,

            /** STRICT_SPREAD value */
            STRICT_SPREAD = 2,

            /** STRICT_PACK value */
            STRICT_PACK = 3
        }

        /**
         * Properties of a Placement.
         * @deprecated Use actors.v1.Placement.$Properties instead.
         */
        interface IPlacement extends actors.v1.Placement.$Properties {
        }

        /** Represents a Placement. */
        class Placement {

            /**
             * Constructs a new Placement.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Placement.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Placement gang. */
            gang: string;

            /** Placement strategy. */
            strategy: actors.v1.Strategy;

            /** Placement labels. */
            labels: { [k: string]: string };

            /** Placement near. */
            near: string[];

            /** Placement away. */
            away: string[];

            /** Placement gangSize. */
            gangSize: number;

            /**
             * Creates a new Placement instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Placement instance
             */
            static create(properties: actors.v1.Placement.$Shape): actors.v1.Placement & actors.v1.Placement.$Shape;
            static create(properties?: actors.v1.Placement.$Properties): actors.v1.Placement;

            /**
             * Encodes the specified Placement message. Does not implicitly {@link actors.v1.Placement.verify|verify} messages.
             * @param message Placement message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Placement.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Placement message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Placement & actors.v1.Placement.$Shape} Placement
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Placement & actors.v1.Placement.$Shape;

            /**
             * Gets the type url for Placement
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Placement {

            /** Properties of a Placement. */
            interface $Properties {

                /** Placement gang */
                gang?: (string|null);

                /** Placement strategy */
                strategy?: (actors.v1.Strategy|null);

                /** Placement labels */
                labels?: ({ [k: string]: string }|null);

                /** Placement near */
                near?: (string[]|null);

                /** Placement away */
                away?: (string[]|null);

                /** Placement gangSize */
                gangSize?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Placement. */
            type $Shape = actors.v1.Placement.$Properties;
        }

        /**
         * Properties of a Crash.
         * @deprecated Use actors.v1.Crash.$Properties instead.
         */
        interface ICrash extends actors.v1.Crash.$Properties {
        }

        /** Represents a Crash. */
        class Crash {

            /**
             * Constructs a new Crash.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Crash.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Crash at. */
            at: number;

            /** Crash epoch. */
            epoch: number;

            /** Crash node. */
            node: string;

            /** Crash error. */
            error: string;

            /**
             * Creates a new Crash instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Crash instance
             */
            static create(properties: actors.v1.Crash.$Shape): actors.v1.Crash & actors.v1.Crash.$Shape;
            static create(properties?: actors.v1.Crash.$Properties): actors.v1.Crash;

            /**
             * Encodes the specified Crash message. Does not implicitly {@link actors.v1.Crash.verify|verify} messages.
             * @param message Crash message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Crash.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Crash message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Crash & actors.v1.Crash.$Shape} Crash
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Crash & actors.v1.Crash.$Shape;

            /**
             * Gets the type url for Crash
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Crash {

            /** Properties of a Crash. */
            interface $Properties {

                /** Crash at */
                at?: (number|null);

                /** Crash epoch */
                epoch?: (number|null);

                /** Crash node */
                node?: (string|null);

                /** Crash error */
                error?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Crash. */
            type $Shape = actors.v1.Crash.$Properties;
        }

        /**
         * Properties of an ActorRecord.
         * @deprecated Use actors.v1.ActorRecord.$Properties instead.
         */
        interface IActorRecord extends actors.v1.ActorRecord.$Properties {
        }

        /** Represents an ActorRecord. */
        class ActorRecord {

            /**
             * Constructs a new ActorRecord.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.ActorRecord.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorRecord id. */
            id: string;

            /** ActorRecord name. */
            name: string;

            /** ActorRecord def. */
            def: string;

            /** ActorRecord module. */
            module: string;

            /** ActorRecord epoch. */
            epoch: number;

            /** ActorRecord state. */
            state: actors.v1.ActorState;

            /** ActorRecord node. */
            node: string;

            /** ActorRecord endpoint. */
            endpoint: string;

            /** ActorRecord hosting. */
            hosting: actors.v1.Hosting;

            /** ActorRecord needs. */
            needs?: (actors.v1.Resources.$Properties|null);

            /** ActorRecord restart. */
            restart?: (actors.v1.Restart.$Properties|null);

            /** ActorRecord parent. */
            parent: string;

            /** ActorRecord args. */
            args: Uint8Array;

            /** ActorRecord restarts. */
            restarts: number;

            /** ActorRecord failure. */
            failure?: (actors.v1.Failure.$Properties|null);

            /** ActorRecord pid. */
            pid: number;

            /** ActorRecord wantNode. */
            wantNode: string;

            /** ActorRecord mailbox. */
            mailbox: number;

            /** ActorRecord methods. */
            methods: string[];

            /** ActorRecord host. */
            host: string;

            /** ActorRecord crashes. */
            crashes: actors.v1.Crash.$Properties[];

            /** ActorRecord placement. */
            placement?: (actors.v1.Placement.$Properties|null);

            /** ActorRecord devices. */
            devices: string[];

            /** ActorRecord waiting. */
            waiting: string;

            /** ActorRecord keepsState. */
            keepsState: boolean;

            /** ActorRecord passivateAfterMs. */
            passivateAfterMs: number;

            /** ActorRecord rested. */
            rested: number;

            /**
             * Creates a new ActorRecord instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorRecord instance
             */
            static create(properties: actors.v1.ActorRecord.$Shape): actors.v1.ActorRecord & actors.v1.ActorRecord.$Shape;
            static create(properties?: actors.v1.ActorRecord.$Properties): actors.v1.ActorRecord;

            /**
             * Encodes the specified ActorRecord message. Does not implicitly {@link actors.v1.ActorRecord.verify|verify} messages.
             * @param message ActorRecord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.ActorRecord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorRecord message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.ActorRecord & actors.v1.ActorRecord.$Shape} ActorRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.ActorRecord & actors.v1.ActorRecord.$Shape;

            /**
             * Gets the type url for ActorRecord
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ActorRecord {

            /** Properties of an ActorRecord. */
            interface $Properties {

                /** ActorRecord id */
                id?: (string|null);

                /** ActorRecord name */
                name?: (string|null);

                /** ActorRecord def */
                def?: (string|null);

                /** ActorRecord module */
                module?: (string|null);

                /** ActorRecord epoch */
                epoch?: (number|null);

                /** ActorRecord state */
                state?: (actors.v1.ActorState|null);

                /** ActorRecord node */
                node?: (string|null);

                /** ActorRecord endpoint */
                endpoint?: (string|null);

                /** ActorRecord hosting */
                hosting?: (actors.v1.Hosting|null);

                /** ActorRecord needs */
                needs?: (actors.v1.Resources.$Properties|null);

                /** ActorRecord restart */
                restart?: (actors.v1.Restart.$Properties|null);

                /** ActorRecord parent */
                parent?: (string|null);

                /** ActorRecord args */
                args?: (Uint8Array|null);

                /** ActorRecord restarts */
                restarts?: (number|null);

                /** ActorRecord failure */
                failure?: (actors.v1.Failure.$Properties|null);

                /** ActorRecord pid */
                pid?: (number|null);

                /** ActorRecord wantNode */
                wantNode?: (string|null);

                /** ActorRecord mailbox */
                mailbox?: (number|null);

                /** ActorRecord methods */
                methods?: (string[]|null);

                /** ActorRecord host */
                host?: (string|null);

                /** ActorRecord crashes */
                crashes?: (actors.v1.Crash.$Properties[]|null);

                /** ActorRecord placement */
                placement?: (actors.v1.Placement.$Properties|null);

                /** ActorRecord devices */
                devices?: (string[]|null);

                /** ActorRecord waiting */
                waiting?: (string|null);

                /** ActorRecord keepsState */
                keepsState?: (boolean|null);

                /** ActorRecord passivateAfterMs */
                passivateAfterMs?: (number|null);

                /** ActorRecord rested */
                rested?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorRecord. */
            type $Shape = actors.v1.ActorRecord.$Properties;
        }

        /**
         * Properties of a Lease.
         * @deprecated Use actors.v1.Lease.$Properties instead.
         */
        interface ILease extends actors.v1.Lease.$Properties {
        }

        /** Represents a Lease. */
        class Lease {

            /**
             * Constructs a new Lease.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Lease.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Lease endpoint. */
            endpoint: string;

            /** Lease node. */
            node: string;

            /** Lease term. */
            term: number;

            /** Lease beat. */
            beat: number;

            /**
             * Creates a new Lease instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Lease instance
             */
            static create(properties: actors.v1.Lease.$Shape): actors.v1.Lease & actors.v1.Lease.$Shape;
            static create(properties?: actors.v1.Lease.$Properties): actors.v1.Lease;

            /**
             * Encodes the specified Lease message. Does not implicitly {@link actors.v1.Lease.verify|verify} messages.
             * @param message Lease message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Lease.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Lease message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Lease & actors.v1.Lease.$Shape} Lease
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Lease & actors.v1.Lease.$Shape;

            /**
             * Gets the type url for Lease
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Lease {

            /** Properties of a Lease. */
            interface $Properties {

                /** Lease endpoint */
                endpoint?: (string|null);

                /** Lease node */
                node?: (string|null);

                /** Lease term */
                term?: (number|null);

                /** Lease beat */
                beat?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Lease. */
            type $Shape = actors.v1.Lease.$Properties;
        }

        /**
         * Properties of a Heartbeat.
         * @deprecated Use actors.v1.Heartbeat.$Properties instead.
         */
        interface IHeartbeat extends actors.v1.Heartbeat.$Properties {
        }

        /** Represents a Heartbeat. */
        class Heartbeat {

            /**
             * Constructs a new Heartbeat.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Heartbeat.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Heartbeat endpoint. */
            endpoint: string;

            /** Heartbeat sentAt. */
            sentAt: number;

            /**
             * Creates a new Heartbeat instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Heartbeat instance
             */
            static create(properties: actors.v1.Heartbeat.$Shape): actors.v1.Heartbeat & actors.v1.Heartbeat.$Shape;
            static create(properties?: actors.v1.Heartbeat.$Properties): actors.v1.Heartbeat;

            /**
             * Encodes the specified Heartbeat message. Does not implicitly {@link actors.v1.Heartbeat.verify|verify} messages.
             * @param message Heartbeat message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Heartbeat.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Heartbeat message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Heartbeat & actors.v1.Heartbeat.$Shape} Heartbeat
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Heartbeat & actors.v1.Heartbeat.$Shape;

            /**
             * Gets the type url for Heartbeat
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Heartbeat {

            /** Properties of a Heartbeat. */
            interface $Properties {

                /** Heartbeat endpoint */
                endpoint?: (string|null);

                /** Heartbeat sentAt */
                sentAt?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Heartbeat. */
            type $Shape = actors.v1.Heartbeat.$Properties;
        }

        /**
         * Properties of a ClusterEvent.
         * @deprecated Use actors.v1.ClusterEvent.$Properties instead.
         */
        interface IClusterEvent extends actors.v1.ClusterEvent.$Properties {
        }

        /** Represents a ClusterEvent. */
        class ClusterEvent {

            /**
             * Constructs a new ClusterEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.ClusterEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ClusterEvent at. */
            at: number;

            /** ClusterEvent kind. */
            kind: string;

            /** ClusterEvent subject. */
            subject: string;

            /** ClusterEvent text. */
            text: string;

            /**
             * Creates a new ClusterEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ClusterEvent instance
             */
            static create(properties: actors.v1.ClusterEvent.$Shape): actors.v1.ClusterEvent & actors.v1.ClusterEvent.$Shape;
            static create(properties?: actors.v1.ClusterEvent.$Properties): actors.v1.ClusterEvent;

            /**
             * Encodes the specified ClusterEvent message. Does not implicitly {@link actors.v1.ClusterEvent.verify|verify} messages.
             * @param message ClusterEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.ClusterEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ClusterEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.ClusterEvent & actors.v1.ClusterEvent.$Shape} ClusterEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.ClusterEvent & actors.v1.ClusterEvent.$Shape;

            /**
             * Gets the type url for ClusterEvent
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace ClusterEvent {

            /** Properties of a ClusterEvent. */
            interface $Properties {

                /** ClusterEvent at */
                at?: (number|null);

                /** ClusterEvent kind */
                kind?: (string|null);

                /** ClusterEvent subject */
                subject?: (string|null);

                /** ClusterEvent text */
                text?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ClusterEvent. */
            type $Shape = actors.v1.ClusterEvent.$Properties;
        }

        /**
         * Properties of a SandboxFile.
         * @deprecated Use actors.v1.SandboxFile.$Properties instead.
         */
        interface ISandboxFile extends actors.v1.SandboxFile.$Properties {
        }

        /** Represents a SandboxFile. */
        class SandboxFile {

            /**
             * Constructs a new SandboxFile.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxFile.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxFile path. */
            path: string;

            /** SandboxFile content. */
            content: Uint8Array;

            /** SandboxFile mode. */
            mode: number;

            /**
             * Creates a new SandboxFile instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxFile instance
             */
            static create(properties: actors.v1.SandboxFile.$Shape): actors.v1.SandboxFile & actors.v1.SandboxFile.$Shape;
            static create(properties?: actors.v1.SandboxFile.$Properties): actors.v1.SandboxFile;

            /**
             * Encodes the specified SandboxFile message. Does not implicitly {@link actors.v1.SandboxFile.verify|verify} messages.
             * @param message SandboxFile message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxFile.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxFile message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxFile & actors.v1.SandboxFile.$Shape} SandboxFile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxFile & actors.v1.SandboxFile.$Shape;

            /**
             * Gets the type url for SandboxFile
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxFile {

            /** Properties of a SandboxFile. */
            interface $Properties {

                /** SandboxFile path */
                path?: (string|null);

                /** SandboxFile content */
                content?: (Uint8Array|null);

                /** SandboxFile mode */
                mode?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxFile. */
            type $Shape = actors.v1.SandboxFile.$Properties;
        }

        /**
         * Properties of a SandboxOp.
         * @deprecated Use actors.v1.SandboxOp.$Properties instead.
         */
        interface ISandboxOp extends actors.v1.SandboxOp.$Properties {
        }

        /** Represents a SandboxOp. */
        class SandboxOp {

            /**
             * Constructs a new SandboxOp.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxOp.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxOp reset. */
            reset?: (actors.v1.SandboxReset.$Properties|null);

            /** SandboxOp write. */
            write?: (actors.v1.SandboxFile.$Properties|null);

            /** SandboxOp read. */
            read?: (string|null);

            /** SandboxOp list. */
            list?: (string|null);

            /** SandboxOp exec. */
            exec?: (actors.v1.SandboxExec.$Properties|null);

            /** SandboxOp remove. */
            remove?: (string|null);

            /** SandboxOp kill. */
            kill?: (actors.v1.SandboxKill.$Properties|null);

            /** SandboxOp input. */
            input?: (actors.v1.SandboxInput.$Properties|null);

            /** SandboxOp settle. */
            settle?: (boolean|null);

            /** SandboxOp op. */
            op?: ("reset"|"write"|"read"|"list"|"exec"|"remove"|"kill"|"input"|"settle");

            /**
             * Creates a new SandboxOp instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxOp instance
             */
            static create(properties: actors.v1.SandboxOp.$Shape): actors.v1.SandboxOp & actors.v1.SandboxOp.$Shape;
            static create(properties?: actors.v1.SandboxOp.$Properties): actors.v1.SandboxOp;

            /**
             * Encodes the specified SandboxOp message. Does not implicitly {@link actors.v1.SandboxOp.verify|verify} messages.
             * @param message SandboxOp message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxOp.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxOp message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxOp & actors.v1.SandboxOp.$Shape} SandboxOp
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxOp & actors.v1.SandboxOp.$Shape;

            /**
             * Gets the type url for SandboxOp
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxOp {

            /** Properties of a SandboxOp. */
            interface $Properties {

                /** SandboxOp reset */
                reset?: (actors.v1.SandboxReset.$Properties|null);

                /** SandboxOp write */
                write?: (actors.v1.SandboxFile.$Properties|null);

                /** SandboxOp read */
                read?: (string|null);

                /** SandboxOp list */
                list?: (string|null);

                /** SandboxOp exec */
                exec?: (actors.v1.SandboxExec.$Properties|null);

                /** SandboxOp remove */
                remove?: (string|null);

                /** SandboxOp kill */
                kill?: (actors.v1.SandboxKill.$Properties|null);

                /** SandboxOp input */
                input?: (actors.v1.SandboxInput.$Properties|null);

                /** SandboxOp settle */
                settle?: (boolean|null);

                /** SandboxOp op */
                op?: ("reset"|"write"|"read"|"list"|"exec"|"remove"|"kill"|"input"|"settle");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a SandboxOp. */
            type $Shape = {
              reset?: actors.v1.SandboxReset.$Shape|null;
              write?: actors.v1.SandboxFile.$Shape|null;
              read?: string|null;
              list?: string|null;
              exec?: actors.v1.SandboxExec.$Shape|null;
              remove?: string|null;
              kill?: actors.v1.SandboxKill.$Shape|null;
              input?: actors.v1.SandboxInput.$Shape|null;
              settle?: boolean|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ op?: undefined; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "reset"; reset: actors.v1.SandboxReset.$Shape; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "write"; reset?: null; write: actors.v1.SandboxFile.$Shape; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "read"; reset?: null; write?: null; read: string; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "list"; reset?: null; write?: null; read?: null; list: string; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "exec"; reset?: null; write?: null; read?: null; list?: null; exec: actors.v1.SandboxExec.$Shape; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "remove"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove: string; kill?: null; input?: null; settle?: null }|{ op?: "kill"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill: actors.v1.SandboxKill.$Shape; input?: null; settle?: null }|{ op?: "input"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input: actors.v1.SandboxInput.$Shape; settle?: null }|{ op?: "settle"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle: boolean })
            );
        }

        /**
         * Properties of a SandboxReset.
         * @deprecated Use actors.v1.SandboxReset.$Properties instead.
         */
        interface ISandboxReset extends actors.v1.SandboxReset.$Properties {
        }

        /** Represents a SandboxReset. */
        class SandboxReset {

            /**
             * Constructs a new SandboxReset.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxReset.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxReset files. */
            files: actors.v1.SandboxFile.$Properties[];

            /**
             * Creates a new SandboxReset instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxReset instance
             */
            static create(properties: actors.v1.SandboxReset.$Shape): actors.v1.SandboxReset & actors.v1.SandboxReset.$Shape;
            static create(properties?: actors.v1.SandboxReset.$Properties): actors.v1.SandboxReset;

            /**
             * Encodes the specified SandboxReset message. Does not implicitly {@link actors.v1.SandboxReset.verify|verify} messages.
             * @param message SandboxReset message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxReset.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxReset message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxReset & actors.v1.SandboxReset.$Shape} SandboxReset
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxReset & actors.v1.SandboxReset.$Shape;

            /**
             * Gets the type url for SandboxReset
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxReset {

            /** Properties of a SandboxReset. */
            interface $Properties {

                /** SandboxReset files */
                files?: (actors.v1.SandboxFile.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxReset. */
            type $Shape = actors.v1.SandboxReset.$Properties;
        }

        /**
         * Properties of a SandboxExec.
         * @deprecated Use actors.v1.SandboxExec.$Properties instead.
         */
        interface ISandboxExec extends actors.v1.SandboxExec.$Properties {
        }

        /** Represents a SandboxExec. */
        class SandboxExec {

            /**
             * Constructs a new SandboxExec.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxExec.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxExec argv. */
            argv: string[];

            /** SandboxExec timeoutMs. */
            timeoutMs: number;

            /** SandboxExec stdin. */
            stdin: Uint8Array;

            /** SandboxExec maxOutput. */
            maxOutput: number;

            /** SandboxExec shell. */
            shell: string;

            /** SandboxExec cwd. */
            cwd: string;

            /** SandboxExec env. */
            env: string[];

            /** SandboxExec stream. */
            stream: boolean;

            /** SandboxExec openStdin. */
            openStdin: boolean;

            /** SandboxExec tag. */
            tag: string;

            /**
             * Creates a new SandboxExec instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxExec instance
             */
            static create(properties: actors.v1.SandboxExec.$Shape): actors.v1.SandboxExec & actors.v1.SandboxExec.$Shape;
            static create(properties?: actors.v1.SandboxExec.$Properties): actors.v1.SandboxExec;

            /**
             * Encodes the specified SandboxExec message. Does not implicitly {@link actors.v1.SandboxExec.verify|verify} messages.
             * @param message SandboxExec message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxExec.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxExec message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxExec & actors.v1.SandboxExec.$Shape} SandboxExec
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxExec & actors.v1.SandboxExec.$Shape;

            /**
             * Gets the type url for SandboxExec
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxExec {

            /** Properties of a SandboxExec. */
            interface $Properties {

                /** SandboxExec argv */
                argv?: (string[]|null);

                /** SandboxExec timeoutMs */
                timeoutMs?: (number|null);

                /** SandboxExec stdin */
                stdin?: (Uint8Array|null);

                /** SandboxExec maxOutput */
                maxOutput?: (number|null);

                /** SandboxExec shell */
                shell?: (string|null);

                /** SandboxExec cwd */
                cwd?: (string|null);

                /** SandboxExec env */
                env?: (string[]|null);

                /** SandboxExec stream */
                stream?: (boolean|null);

                /** SandboxExec openStdin */
                openStdin?: (boolean|null);

                /** SandboxExec tag */
                tag?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxExec. */
            type $Shape = actors.v1.SandboxExec.$Properties;
        }

        /**
         * Properties of a SandboxKill.
         * @deprecated Use actors.v1.SandboxKill.$Properties instead.
         */
        interface ISandboxKill extends actors.v1.SandboxKill.$Properties {
        }

        /** Represents a SandboxKill. */
        class SandboxKill {

            /**
             * Constructs a new SandboxKill.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxKill.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxKill run. */
            run: number;

            /** SandboxKill signal. */
            signal: string;

            /** SandboxKill tag. */
            tag: string;

            /**
             * Creates a new SandboxKill instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxKill instance
             */
            static create(properties: actors.v1.SandboxKill.$Shape): actors.v1.SandboxKill & actors.v1.SandboxKill.$Shape;
            static create(properties?: actors.v1.SandboxKill.$Properties): actors.v1.SandboxKill;

            /**
             * Encodes the specified SandboxKill message. Does not implicitly {@link actors.v1.SandboxKill.verify|verify} messages.
             * @param message SandboxKill message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxKill.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxKill message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxKill & actors.v1.SandboxKill.$Shape} SandboxKill
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxKill & actors.v1.SandboxKill.$Shape;

            /**
             * Gets the type url for SandboxKill
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxKill {

            /** Properties of a SandboxKill. */
            interface $Properties {

                /** SandboxKill run */
                run?: (number|null);

                /** SandboxKill signal */
                signal?: (string|null);

                /** SandboxKill tag */
                tag?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxKill. */
            type $Shape = actors.v1.SandboxKill.$Properties;
        }

        /**
         * Properties of a SandboxInput.
         * @deprecated Use actors.v1.SandboxInput.$Properties instead.
         */
        interface ISandboxInput extends actors.v1.SandboxInput.$Properties {
        }

        /** Represents a SandboxInput. */
        class SandboxInput {

            /**
             * Constructs a new SandboxInput.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxInput.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxInput tag. */
            tag: string;

            /** SandboxInput data. */
            data: Uint8Array;

            /** SandboxInput close. */
            close: boolean;

            /**
             * Creates a new SandboxInput instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxInput instance
             */
            static create(properties: actors.v1.SandboxInput.$Shape): actors.v1.SandboxInput & actors.v1.SandboxInput.$Shape;
            static create(properties?: actors.v1.SandboxInput.$Properties): actors.v1.SandboxInput;

            /**
             * Encodes the specified SandboxInput message. Does not implicitly {@link actors.v1.SandboxInput.verify|verify} messages.
             * @param message SandboxInput message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxInput.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxInput message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxInput & actors.v1.SandboxInput.$Shape} SandboxInput
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxInput & actors.v1.SandboxInput.$Shape;

            /**
             * Gets the type url for SandboxInput
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxInput {

            /** Properties of a SandboxInput. */
            interface $Properties {

                /** SandboxInput tag */
                tag?: (string|null);

                /** SandboxInput data */
                data?: (Uint8Array|null);

                /** SandboxInput close */
                close?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxInput. */
            type $Shape = actors.v1.SandboxInput.$Properties;
        }

        /**
         * Properties of a SandboxRun.
         * @deprecated Use actors.v1.SandboxRun.$Properties instead.
         */
        interface ISandboxRun extends actors.v1.SandboxRun.$Properties {
        }

        /** Represents a SandboxRun. */
        class SandboxRun {

            /**
             * Constructs a new SandboxRun.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxRun.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxRun sandbox. */
            sandbox: string;

            /** SandboxRun ops. */
            ops: actors.v1.SandboxOp.$Properties[];

            /** SandboxRun id. */
            id: number;

            /**
             * Creates a new SandboxRun instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxRun instance
             */
            static create(properties: actors.v1.SandboxRun.$Shape): actors.v1.SandboxRun & actors.v1.SandboxRun.$Shape;
            static create(properties?: actors.v1.SandboxRun.$Properties): actors.v1.SandboxRun;

            /**
             * Encodes the specified SandboxRun message. Does not implicitly {@link actors.v1.SandboxRun.verify|verify} messages.
             * @param message SandboxRun message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxRun.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxRun message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxRun & actors.v1.SandboxRun.$Shape} SandboxRun
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxRun & actors.v1.SandboxRun.$Shape;

            /**
             * Gets the type url for SandboxRun
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxRun {

            /** Properties of a SandboxRun. */
            interface $Properties {

                /** SandboxRun sandbox */
                sandbox?: (string|null);

                /** SandboxRun ops */
                ops?: (actors.v1.SandboxOp.$Properties[]|null);

                /** SandboxRun id */
                id?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxRun. */
            type $Shape = {
              sandbox?: string|null;
              ops?: actors.v1.SandboxOp.$Shape[]|null;
              id?: number|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a SandboxResult.
         * @deprecated Use actors.v1.SandboxResult.$Properties instead.
         */
        interface ISandboxResult extends actors.v1.SandboxResult.$Properties {
        }

        /** Represents a SandboxResult. */
        class SandboxResult {

            /**
             * Constructs a new SandboxResult.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxResult.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxResult ok. */
            ok: boolean;

            /** SandboxResult data. */
            data: Uint8Array;

            /** SandboxResult stderr. */
            stderr: Uint8Array;

            /** SandboxResult exitCode. */
            exitCode: number;

            /** SandboxResult signal. */
            signal: string;

            /** SandboxResult timedOut. */
            timedOut: boolean;

            /** SandboxResult truncated. */
            truncated: boolean;

            /** SandboxResult names. */
            names: string[];

            /** SandboxResult error. */
            error: string;

            /** SandboxResult kinds. */
            kinds: string;

            /** SandboxResult stdoutLog. */
            stdoutLog: string;

            /** SandboxResult stderrLog. */
            stderrLog: string;

            /** SandboxResult cwd. */
            cwd: string;

            /** SandboxResult shellLost. */
            shellLost: boolean;

            /**
             * Creates a new SandboxResult instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxResult instance
             */
            static create(properties: actors.v1.SandboxResult.$Shape): actors.v1.SandboxResult & actors.v1.SandboxResult.$Shape;
            static create(properties?: actors.v1.SandboxResult.$Properties): actors.v1.SandboxResult;

            /**
             * Encodes the specified SandboxResult message. Does not implicitly {@link actors.v1.SandboxResult.verify|verify} messages.
             * @param message SandboxResult message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxResult.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxResult message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxResult & actors.v1.SandboxResult.$Shape} SandboxResult
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxResult & actors.v1.SandboxResult.$Shape;

            /**
             * Gets the type url for SandboxResult
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxResult {

            /** Properties of a SandboxResult. */
            interface $Properties {

                /** SandboxResult ok */
                ok?: (boolean|null);

                /** SandboxResult data */
                data?: (Uint8Array|null);

                /** SandboxResult stderr */
                stderr?: (Uint8Array|null);

                /** SandboxResult exitCode */
                exitCode?: (number|null);

                /** SandboxResult signal */
                signal?: (string|null);

                /** SandboxResult timedOut */
                timedOut?: (boolean|null);

                /** SandboxResult truncated */
                truncated?: (boolean|null);

                /** SandboxResult names */
                names?: (string[]|null);

                /** SandboxResult error */
                error?: (string|null);

                /** SandboxResult kinds */
                kinds?: (string|null);

                /** SandboxResult stdoutLog */
                stdoutLog?: (string|null);

                /** SandboxResult stderrLog */
                stderrLog?: (string|null);

                /** SandboxResult cwd */
                cwd?: (string|null);

                /** SandboxResult shellLost */
                shellLost?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxResult. */
            type $Shape = actors.v1.SandboxResult.$Properties;
        }

        /**
         * Properties of a SandboxResults.
         * @deprecated Use actors.v1.SandboxResults.$Properties instead.
         */
        interface ISandboxResults extends actors.v1.SandboxResults.$Properties {
        }

        /** Represents a SandboxResults. */
        class SandboxResults {

            /**
             * Constructs a new SandboxResults.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.SandboxResults.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SandboxResults results. */
            results: actors.v1.SandboxResult.$Properties[];

            /** SandboxResults id. */
            id: number;

            /** SandboxResults stdout. */
            stdout: Uint8Array;

            /** SandboxResults stderr. */
            stderr: Uint8Array;

            /**
             * Creates a new SandboxResults instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SandboxResults instance
             */
            static create(properties: actors.v1.SandboxResults.$Shape): actors.v1.SandboxResults & actors.v1.SandboxResults.$Shape;
            static create(properties?: actors.v1.SandboxResults.$Properties): actors.v1.SandboxResults;

            /**
             * Encodes the specified SandboxResults message. Does not implicitly {@link actors.v1.SandboxResults.verify|verify} messages.
             * @param message SandboxResults message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.SandboxResults.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SandboxResults message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.SandboxResults & actors.v1.SandboxResults.$Shape} SandboxResults
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.SandboxResults & actors.v1.SandboxResults.$Shape;

            /**
             * Gets the type url for SandboxResults
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace SandboxResults {

            /** Properties of a SandboxResults. */
            interface $Properties {

                /** SandboxResults results */
                results?: (actors.v1.SandboxResult.$Properties[]|null);

                /** SandboxResults id */
                id?: (number|null);

                /** SandboxResults stdout */
                stdout?: (Uint8Array|null);

                /** SandboxResults stderr */
                stderr?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SandboxResults. */
            type $Shape = actors.v1.SandboxResults.$Properties;
        }

        /**
         * Properties of a Trajectory.
         * @deprecated Use actors.v1.Trajectory.$Properties instead.
         */
        interface ITrajectory extends actors.v1.Trajectory.$Properties {
        }

        /** Represents a Trajectory. */
        class Trajectory {

            /**
             * Constructs a new Trajectory.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Trajectory.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Trajectory key. */
            key: string;

            /** Trajectory task. */
            task: string;

            /** Trajectory group. */
            group: number;

            /** Trajectory sample. */
            sample: number;

            /** Trajectory attempt. */
            attempt: number;

            /** Trajectory seed. */
            seed: number;

            /** Trajectory tokens. */
            tokens: Uint8Array;

            /** Trajectory lossMask. */
            lossMask: Uint8Array;

            /** Trajectory logprobs. */
            logprobs: Uint8Array;

            /** Trajectory versions. */
            versions: Uint8Array;

            /** Trajectory reward. */
            reward: number;

            /** Trajectory finish. */
            finish: string;

            /** Trajectory turns. */
            turns: actors.v1.Turn.$Properties[];

            /** Trajectory startedAt. */
            startedAt: number;

            /** Trajectory seconds. */
            seconds: number;

            /** Trajectory metrics. */
            metrics: { [k: string]: number };

            /** Trajectory step. */
            step: number;

            /** Trajectory prompt. */
            prompt: string;

            /** Trajectory shared. */
            shared: number;

            /** Trajectory contexts. */
            contexts: number[];

            /** Trajectory stages. */
            stages?: (actors.v1.Stages.$Properties|null);

            /**
             * Creates a new Trajectory instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Trajectory instance
             */
            static create(properties: actors.v1.Trajectory.$Shape): actors.v1.Trajectory & actors.v1.Trajectory.$Shape;
            static create(properties?: actors.v1.Trajectory.$Properties): actors.v1.Trajectory;

            /**
             * Encodes the specified Trajectory message. Does not implicitly {@link actors.v1.Trajectory.verify|verify} messages.
             * @param message Trajectory message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Trajectory.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Trajectory message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Trajectory & actors.v1.Trajectory.$Shape} Trajectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Trajectory & actors.v1.Trajectory.$Shape;

            /**
             * Gets the type url for Trajectory
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Trajectory {

            /** Properties of a Trajectory. */
            interface $Properties {

                /** Trajectory key */
                key?: (string|null);

                /** Trajectory task */
                task?: (string|null);

                /** Trajectory group */
                group?: (number|null);

                /** Trajectory sample */
                sample?: (number|null);

                /** Trajectory attempt */
                attempt?: (number|null);

                /** Trajectory seed */
                seed?: (number|null);

                /** Trajectory tokens */
                tokens?: (Uint8Array|null);

                /** Trajectory lossMask */
                lossMask?: (Uint8Array|null);

                /** Trajectory logprobs */
                logprobs?: (Uint8Array|null);

                /** Trajectory versions */
                versions?: (Uint8Array|null);

                /** Trajectory reward */
                reward?: (number|null);

                /** Trajectory finish */
                finish?: (string|null);

                /** Trajectory turns */
                turns?: (actors.v1.Turn.$Properties[]|null);

                /** Trajectory startedAt */
                startedAt?: (number|null);

                /** Trajectory seconds */
                seconds?: (number|null);

                /** Trajectory metrics */
                metrics?: ({ [k: string]: number }|null);

                /** Trajectory step */
                step?: (number|null);

                /** Trajectory prompt */
                prompt?: (string|null);

                /** Trajectory shared */
                shared?: (number|null);

                /** Trajectory contexts */
                contexts?: (number[]|null);

                /** Trajectory stages */
                stages?: (actors.v1.Stages.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Trajectory. */
            type $Shape = actors.v1.Trajectory.$Properties;
        }

        /**
         * Properties of a Stages.
         * @deprecated Use actors.v1.Stages.$Properties instead.
         */
        interface IStages extends actors.v1.Stages.$Properties {
        }

        /** Represents a Stages. */
        class Stages {

            /**
             * Constructs a new Stages.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Stages.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Stages queued. */
            queued: number;

            /** Stages init. */
            init: number;

            /** Stages run. */
            run: number;

            /** Stages generate. */
            generate: number;

            /** Stages reward. */
            reward: number;

            /**
             * Creates a new Stages instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Stages instance
             */
            static create(properties: actors.v1.Stages.$Shape): actors.v1.Stages & actors.v1.Stages.$Shape;
            static create(properties?: actors.v1.Stages.$Properties): actors.v1.Stages;

            /**
             * Encodes the specified Stages message. Does not implicitly {@link actors.v1.Stages.verify|verify} messages.
             * @param message Stages message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Stages.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Stages message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Stages & actors.v1.Stages.$Shape} Stages
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Stages & actors.v1.Stages.$Shape;

            /**
             * Gets the type url for Stages
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Stages {

            /** Properties of a Stages. */
            interface $Properties {

                /** Stages queued */
                queued?: (number|null);

                /** Stages init */
                init?: (number|null);

                /** Stages run */
                run?: (number|null);

                /** Stages generate */
                generate?: (number|null);

                /** Stages reward */
                reward?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Stages. */
            type $Shape = actors.v1.Stages.$Properties;
        }

        /**
         * Properties of a Turn.
         * @deprecated Use actors.v1.Turn.$Properties instead.
         */
        interface ITurn extends actors.v1.Turn.$Properties {
        }

        /** Represents a Turn. */
        class Turn {

            /**
             * Constructs a new Turn.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.Turn.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Turn start. */
            start: number;

            /** Turn end. */
            end: number;

            /** Turn action. */
            action: string;

            /** Turn observation. */
            observation: string;

            /** Turn reward. */
            reward: number;

            /** Turn potential. */
            potential: number;

            /** Turn summary. */
            summary: boolean;

            /**
             * Creates a new Turn instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Turn instance
             */
            static create(properties: actors.v1.Turn.$Shape): actors.v1.Turn & actors.v1.Turn.$Shape;
            static create(properties?: actors.v1.Turn.$Properties): actors.v1.Turn;

            /**
             * Encodes the specified Turn message. Does not implicitly {@link actors.v1.Turn.verify|verify} messages.
             * @param message Turn message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.Turn.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Turn message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.Turn & actors.v1.Turn.$Shape} Turn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.Turn & actors.v1.Turn.$Shape;

            /**
             * Gets the type url for Turn
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace Turn {

            /** Properties of a Turn. */
            interface $Properties {

                /** Turn start */
                start?: (number|null);

                /** Turn end */
                end?: (number|null);

                /** Turn action */
                action?: (string|null);

                /** Turn observation */
                observation?: (string|null);

                /** Turn reward */
                reward?: (number|null);

                /** Turn potential */
                potential?: (number|null);

                /** Turn summary */
                summary?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Turn. */
            type $Shape = actors.v1.Turn.$Properties;
        }

        /**
         * Properties of a GenerateRequest.
         * @deprecated Use actors.v1.GenerateRequest.$Properties instead.
         */
        interface IGenerateRequest extends actors.v1.GenerateRequest.$Properties {
        }

        /** Represents a GenerateRequest. */
        class GenerateRequest {

            /**
             * Constructs a new GenerateRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.GenerateRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GenerateRequest tokens. */
            tokens: Uint8Array;

            /** GenerateRequest maxTokens. */
            maxTokens: number;

            /** GenerateRequest temperature. */
            temperature: number;

            /** GenerateRequest topK. */
            topK: number;

            /** GenerateRequest topP. */
            topP: number;

            /** GenerateRequest stop. */
            stop: number[];

            /** GenerateRequest seed. */
            seed: number;

            /** GenerateRequest session. */
            session: string;

            /** GenerateRequest minP. */
            minP: number;

            /** GenerateRequest repetitionPenalty. */
            repetitionPenalty: number;

            /** GenerateRequest presencePenalty. */
            presencePenalty: number;

            /** GenerateRequest frequencyPenalty. */
            frequencyPenalty: number;

            /** GenerateRequest minTokens. */
            minTokens: number;

            /** GenerateRequest stopStrings. */
            stopStrings: string[];

            /** GenerateRequest logprobs. */
            logprobs: number;

            /**
             * Creates a new GenerateRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GenerateRequest instance
             */
            static create(properties: actors.v1.GenerateRequest.$Shape): actors.v1.GenerateRequest & actors.v1.GenerateRequest.$Shape;
            static create(properties?: actors.v1.GenerateRequest.$Properties): actors.v1.GenerateRequest;

            /**
             * Encodes the specified GenerateRequest message. Does not implicitly {@link actors.v1.GenerateRequest.verify|verify} messages.
             * @param message GenerateRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.GenerateRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GenerateRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.GenerateRequest & actors.v1.GenerateRequest.$Shape} GenerateRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.GenerateRequest & actors.v1.GenerateRequest.$Shape;

            /**
             * Gets the type url for GenerateRequest
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace GenerateRequest {

            /** Properties of a GenerateRequest. */
            interface $Properties {

                /** GenerateRequest tokens */
                tokens?: (Uint8Array|null);

                /** GenerateRequest maxTokens */
                maxTokens?: (number|null);

                /** GenerateRequest temperature */
                temperature?: (number|null);

                /** GenerateRequest topK */
                topK?: (number|null);

                /** GenerateRequest topP */
                topP?: (number|null);

                /** GenerateRequest stop */
                stop?: (number[]|null);

                /** GenerateRequest seed */
                seed?: (number|null);

                /** GenerateRequest session */
                session?: (string|null);

                /** GenerateRequest minP */
                minP?: (number|null);

                /** GenerateRequest repetitionPenalty */
                repetitionPenalty?: (number|null);

                /** GenerateRequest presencePenalty */
                presencePenalty?: (number|null);

                /** GenerateRequest frequencyPenalty */
                frequencyPenalty?: (number|null);

                /** GenerateRequest minTokens */
                minTokens?: (number|null);

                /** GenerateRequest stopStrings */
                stopStrings?: (string[]|null);

                /** GenerateRequest logprobs */
                logprobs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GenerateRequest. */
            type $Shape = actors.v1.GenerateRequest.$Properties;
        }

        /**
         * Properties of a GenerateReply.
         * @deprecated Use actors.v1.GenerateReply.$Properties instead.
         */
        interface IGenerateReply extends actors.v1.GenerateReply.$Properties {
        }

        /** Represents a GenerateReply. */
        class GenerateReply {

            /**
             * Constructs a new GenerateReply.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.GenerateReply.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GenerateReply tokens. */
            tokens: Uint8Array;

            /** GenerateReply logprobs. */
            logprobs: Uint8Array;

            /** GenerateReply version. */
            version: number;

            /** GenerateReply finish. */
            finish: string;

            /** GenerateReply versions. */
            versions: Uint8Array;

            /** GenerateReply stopString. */
            stopString: string;

            /** GenerateReply topTokens. */
            topTokens: Uint8Array;

            /** GenerateReply topLogprobs. */
            topLogprobs: Uint8Array;

            /**
             * Creates a new GenerateReply instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GenerateReply instance
             */
            static create(properties: actors.v1.GenerateReply.$Shape): actors.v1.GenerateReply & actors.v1.GenerateReply.$Shape;
            static create(properties?: actors.v1.GenerateReply.$Properties): actors.v1.GenerateReply;

            /**
             * Encodes the specified GenerateReply message. Does not implicitly {@link actors.v1.GenerateReply.verify|verify} messages.
             * @param message GenerateReply message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.GenerateReply.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GenerateReply message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.GenerateReply & actors.v1.GenerateReply.$Shape} GenerateReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.GenerateReply & actors.v1.GenerateReply.$Shape;

            /**
             * Gets the type url for GenerateReply
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace GenerateReply {

            /** Properties of a GenerateReply. */
            interface $Properties {

                /** GenerateReply tokens */
                tokens?: (Uint8Array|null);

                /** GenerateReply logprobs */
                logprobs?: (Uint8Array|null);

                /** GenerateReply version */
                version?: (number|null);

                /** GenerateReply finish */
                finish?: (string|null);

                /** GenerateReply versions */
                versions?: (Uint8Array|null);

                /** GenerateReply stopString */
                stopString?: (string|null);

                /** GenerateReply topTokens */
                topTokens?: (Uint8Array|null);

                /** GenerateReply topLogprobs */
                topLogprobs?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GenerateReply. */
            type $Shape = actors.v1.GenerateReply.$Properties;
        }

        /**
         * Properties of a WeightsRef.
         * @deprecated Use actors.v1.WeightsRef.$Properties instead.
         */
        interface IWeightsRef extends actors.v1.WeightsRef.$Properties {
        }

        /** Represents a WeightsRef. */
        class WeightsRef {

            /**
             * Constructs a new WeightsRef.
             * @param [properties] Properties to set
             */
            constructor(properties?: actors.v1.WeightsRef.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WeightsRef version. */
            version: number;

            /** WeightsRef path. */
            path: string;

            /** WeightsRef bytes. */
            bytes: number;

            /** WeightsRef checksum. */
            checksum: string;

            /** WeightsRef host. */
            host: string;

            /**
             * Creates a new WeightsRef instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WeightsRef instance
             */
            static create(properties: actors.v1.WeightsRef.$Shape): actors.v1.WeightsRef & actors.v1.WeightsRef.$Shape;
            static create(properties?: actors.v1.WeightsRef.$Properties): actors.v1.WeightsRef;

            /**
             * Encodes the specified WeightsRef message. Does not implicitly {@link actors.v1.WeightsRef.verify|verify} messages.
             * @param message WeightsRef message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: actors.v1.WeightsRef.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WeightsRef message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {actors.v1.WeightsRef & actors.v1.WeightsRef.$Shape} WeightsRef
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): actors.v1.WeightsRef & actors.v1.WeightsRef.$Shape;

            /**
             * Gets the type url for WeightsRef
             * @param [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns The type url
             */
            static getTypeUrl(prefix?: string): string;
        }

        namespace WeightsRef {

            /** Properties of a WeightsRef. */
            interface $Properties {

                /** WeightsRef version */
                version?: (number|null);

                /** WeightsRef path */
                path?: (string|null);

                /** WeightsRef bytes */
                bytes?: (number|null);

                /** WeightsRef checksum */
                checksum?: (string|null);

                /** WeightsRef host */
                host?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WeightsRef. */
            type $Shape = actors.v1.WeightsRef.$Properties;
        }
    }
}
